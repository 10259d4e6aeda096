// Documents: what they say of themselves, their cookies, and a history in which the page has the addresses that its
// scripts give it, while the file stays the same.

const PAGE_KEY = 'webkeep$page';

function patchDocuments(scope, addresses, install) {
  const {Document, Node} = scope;
  const here = () => addresses.here(realLocation);
  patchAccessor(Document.prototype, 'URL', {read: here});
  patchAccessor(Document.prototype, 'documentURI', {read: here});
  patchAccessor(Node.prototype, 'baseURI', {read: () => addresses.fixedBase || here()});
  patchAccessor(Document.prototype, 'referrer', {read: (value) => addresses.archived(value)});
  patchAccessor(Document.prototype, 'domain', {read: () => addresses.homeUrl.hostname, write: () => {}});
  const jar = new Map();
  patchAccessor(Document.prototype, 'cookie', {
    read: () => [...jar].map(([name, value]) => name ? `${name}=${value}` : value).join('; '),
    write(text) {
      const [, name, value] = /^\s*(?:([^=;]*?)\s*=)?\s*([^;]*?)\s*(?:;|$)/.exec(String(text));
      const isOver = /;\s*max-age\s*=\s*(?:0|-)|;\s*expires\s*=[^;]*\b(?:19\d\d|200\d)\b/i.test(text);
      if (isOver) jar.delete(name || '');
      else jar.set(name || '', value);
    },
  });
  patchMethod(scope, 'open', (native) => function(url, ...rest) {
    const opened = native.call(scope, url === undefined ? url : addresses.replayed(url), ...rest);
    install(opened);
    return opened;
  });
  patchMethod(scope, 'postMessage', (native) => function(...args) {
    return native.apply(this === undefined ? scope : this, withReplayedTarget(args, addresses));
  });
  const ownOrigin = scope.location.origin;
  patchAccessor(scope.MessageEvent.prototype, 'origin', {
    read: (origin) => origin === 'null' || origin === ownOrigin || /^file:/.test(origin) ? addresses.home : origin,
  });
}

function patchHistory(scope, addresses) {
  const {History, PopStateEvent, history, DOMException} = scope;
  const states = Object.getOwnPropertyDescriptor(History.prototype, 'state').get;
  const {replaceState} = History.prototype;
  const isKept = (state) => state !== null && typeof state === 'object' && typeof state[PAGE_KEY] === 'string';
  const own = (state) => isKept(state) ? state.state : state;
  const begun = states.call(history);
  if (isKept(begun) && new URL(begun[PAGE_KEY]).origin === addresses.home) addresses.page = begun[PAGE_KEY];
  try {
    replaceState.call(history, {[PAGE_KEY]: addresses.page, state: own(begun)}, '');
  } catch {
    // A document that is not the window's own has no history.
  }
  patchAccessor(History.prototype, 'state', {read: own});
  patchAccessor(PopStateEvent.prototype, 'state', {read: own});
  const stateOf = Object.getOwnPropertyDescriptor(PopStateEvent.prototype, 'state');
  for (const name of ['pushState', 'replaceState']) {
    patchMethod(History.prototype, name, (native) => function(state, title, url) {
      if (url === undefined || url === null) {
        return native.call(this, {[PAGE_KEY]: addresses.page, state}, title);
      }
      const target = addresses.resolve(String(url));
      if (!target || target.origin !== addresses.home) throw new DOMException(`A history state object with URL '${url}' ` +
        `cannot be created in a document with origin '${addresses.home}'.`, 'SecurityError');
      const page = target.href.split('#')[0];
      native.call(this, {[PAGE_KEY]: page, state}, title, realLocation.href.split('#')[0] + target.hash);
      addresses.page = page;
      return undefined;
    });
  }
  scope.addEventListener('popstate', () => {
    const state = states.call(history);
    if (isKept(state)) addresses.page = state[PAGE_KEY];
  }, true);
  for (const name of ['oldURL', 'newURL']) {
    patchAccessor(scope.HashChangeEvent?.prototype, name, {
      read: (value) => addresses.page.split('#')[0] + (value.includes('#') ? value.slice(value.indexOf('#')) : ''),
    });
  }
  return stateOf;
}
