// Documents: what they say of themselves, their cookies, their history and their windows.

function patchDocuments(scope, addresses, install) {
  const {Document, Node, History} = scope;
  const archived = (value) => addresses.archived(value);
  patchAccessor(Document.prototype, 'URL', {read: archived});
  patchAccessor(Document.prototype, 'documentURI', {read: archived});
  patchAccessor(Node.prototype, 'baseURI', {read: archived});
  patchAccessor(Document.prototype, 'referrer', {
    read: (value) => { const found = archived(value); return found === value && value ? '' : found; },
  });
  patchAccessor(Document.prototype, 'domain', {read: () => addresses.homeUrl.hostname, write: () => {}});
  patchCookies(scope, addresses);
  for (const name of ['pushState', 'replaceState']) {
    patchMethod(History.prototype, name, (native) => function(state, title, url) {
      return native.call(this, state, title, url === undefined || url === null ? url : addresses.replayed(url));
    });
  }
  patchMethod(scope, 'open', (native) => function(url, ...rest) {
    const opened = native.call(scope, url === undefined ? url : addresses.replayed(url), ...rest);
    install(opened);
    return opened;
  });
  patchMethod(scope, 'postMessage', (native) => function(...args) {
    return native.apply(this === undefined ? scope : this, withReplayedTarget(args, addresses));
  });
}
