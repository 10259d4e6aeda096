// The shim of a worker.

const facts = self.webkeep_facts$ || {};

// Answers that a service worker makes up get the locks of its own script, and pages among them the shim.
function patchAnswers(scope, addresses, locks) {
  if (!scope.FetchEvent || !locks) return;
  const {Response, Headers} = scope;
  const tag = `<script src="${addresses.origin}/.webkeep/shim.js" data-webkeep="${
    JSON.stringify({origin: addresses.home}).replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></script>`;
  const locked = async (answer) => {
    const response = await answer;
    // What has an address came from the server, which locked it.
    if (!(response instanceof Response) || response.url || response.type === 'error' || response.type === 'opaque' ||
        response.type === 'opaqueredirect') return response;
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(locks)) headers.set(name, value);
    let body = response.body;
    if (/html/i.test(headers.get('Content-Type') || '')) {
      const text = await response.text();
      body = text.includes('data-webkeep=') ? text : withHead(text, tag);
    }
    const {status, statusText} = response;
    return new Response(body, {status, statusText, headers});
  };
  patchMethod(scope.FetchEvent.prototype, 'respondWith', (native) => function(answer) {
    return native.call(this, locked(answer));
  });
}

if (!('webkeep_location$' in self)) {
  const addresses = new Addresses(self.location.href, facts.origin);
  patchLocation(self, addresses);
  patchClock(self, addresses);
  patchSockets(self, addresses);
  patchNetwork(self, addresses);
  patchStyles(self, addresses);
  patchAnswers(self, addresses, facts.locks);
  patchMethod(self, 'importScripts', (native) => (...urls) => {
    native.apply(self, urls.map((url) => addresses.replayed(url)));
  });
  delete self.webkeep_facts$;
}
