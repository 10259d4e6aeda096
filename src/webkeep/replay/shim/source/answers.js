// Answers of a service worker. What it makes up gets the locks of its own script, and pages among it the shim.
//
// Elsewhere the shim only helps pages to work; here it is part of the locks, and the worker's script, which comes after
// it, may be hostile. So nothing is looked up later that such a script could have changed by then: natives are taken out
// of their objects first, lists are gone through by number, and what is answered with is made without being iterated.

const LET_THROUGH = ['content-type', 'content-language', 'content-disposition', 'last-modified', 'etag', 'cache-control',
  'location', 'access-control-allow-origin', 'access-control-allow-credentials', 'access-control-expose-headers',
  'cross-origin-resource-policy', 'accept-ranges', 'content-range', 'x-content-type-options'];

function nativesOf() {
  const {apply, construct, defineProperty} = Reflect;
  const called = (owner, name) => {
    const method = owner[name];
    return (it, ...args) => apply(method, it, args);
  };
  const read = (owner, name) => {
    const {get} = Object.getOwnPropertyDescriptor(owner, name);
    return (it) => apply(get, it, []);
  };
  return {apply, construct, defineProperty, called, read};
}

function patchAnswers(scope, addresses, locks) {
  const {FetchEvent, InstallEvent, Response, Request, Headers, URL: Address, TypeError} = scope;
  if (!FetchEvent || !locks) return;
  const {apply, construct, defineProperty, called, read} = nativesOf();
  const typeOf = read(Response.prototype, 'type');
  const urlOf = read(Response.prototype, 'url');
  const statusOf = read(Response.prototype, 'status');
  const statusTextOf = read(Response.prototype, 'statusText');
  const headersOf = read(Response.prototype, 'headers');
  const bodyOf = read(Response.prototype, 'body');
  const textOf = called(Response.prototype, 'text');
  const requestOf = read(FetchEvent.prototype, 'request');
  const destinationOf = read(Request.prototype, 'destination');
  const getField = called(Headers.prototype, 'get');
  const eachField = called(Headers.prototype, 'forEach');
  const startsWith = called(String.prototype, 'startsWith');
  const endsWith = called(String.prototype, 'endsWith');
  const hostOf = read(Address.prototype, 'host');
  const schemeOf = read(Address.prototype, 'protocol');
  const names = Object.keys(locks).map((name) => name.toLowerCase());
  const values = Object.values(locks);
  const home = `${addresses.origin}/`;
  const {scheme, base} = addresses;
  const tag = `<script src="${home}.webkeep/shim.js" data-webkeep="${JSON.stringify({origin: addresses.home, jar: facts.jar})
    .replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></script>`;

  const isInside = (place) => {
    const url = construct(Address, [place, home]);
    return schemeOf(url) === scheme && endsWith(`.${hostOf(url)}`, `.${base}`);
  };
  // What the server itself answered under this name it has locked.
  const isServed = (response) => {
    const kind = typeOf(response);
    return kind === 'error' || kind === 'opaque' || kind === 'opaqueredirect' ||
      kind === 'basic' && startsWith(urlOf(response), home);
  };
  const fieldsOf = (response, isShown) => {
    const from = headersOf(response), fields = {__proto__: null};
    if (!isShown) eachField(from, (value, name) => { fields[name] = value; });
    for (let at = 0; isShown && at < LET_THROUGH.length; at += 1) {
      const value = getField(from, LET_THROUGH[at]);
      if (value !== null) fields[LET_THROUGH[at]] = value;
    }
    if (fields.location !== undefined && !isInside(fields.location)) throw new TypeError('it leads out of the archive');
    for (let at = 0; at < names.length; at += 1) fields[names[at]] = values[at];
    return fields;
  };
  const made = (body, response, isShown) => construct(Response, [body, {
    __proto__: null, status: statusOf(response), statusText: statusTextOf(response), headers: fieldsOf(response, isShown),
  }]);
  const isPage = (response) => /html/i.test(getField(headersOf(response), 'content-type') || '');
  const locked = async (given, isShown) => {
    const response = await given;
    let answer = response;
    if (!isServed(response)) {
      let body = bodyOf(response);
      if (isShown && isPage(response)) {
        const text = await textOf(response);
        body = text.includes('data-webkeep=') ? text : withHead(text, tag);
      }
      answer = made(body, response, isShown);
    }
    // A promise asks what it is given whether it is a promise too.
    if (!defineProperty(answer, 'then', {__proto__: null, value: undefined})) throw new TypeError('no plain answer');
    return answer;
  };
  const {respondWith} = FetchEvent.prototype;
  patchMethod(FetchEvent.prototype, 'respondWith', () => function(given) {
    const isShown = destinationOf(requestOf(this)) !== '';
    return apply(respondWith, this, [locked(given, isShown)]);
  });
  // Routes would have the browser answer out of what a script has put into a cache.
  patchMethod(InstallEvent?.prototype, 'addRoutes', () => async function() {});
}
