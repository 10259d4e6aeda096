// The network: every way in which a script asks for something, in pages and workers alike.

const OCCURRENCE = 'Webkeep-Occurrence';

// How often each URL was asked for in each way: of several answers that were recorded, the next one is meant.
function occurrences(archived) {
  const counts = new Map();
  return (method, url) => {
    let address = String(url);
    try {
      address = new URL(address, baseAddress()).href.split('#')[0];
    } catch {
      // It is no address; the browser will say so.
    }
    const key = `${String(method || 'GET').toUpperCase()} ${archived(address)}`;
    counts.set(key, (counts.get(key) || 0) + 1);
    return counts.get(key);
  };
}

function baseAddress() {
  return typeof document === 'undefined' ? location.href : document.baseURI;
}

function patchNetwork(scope, addresses) {
  const {Request, navigator} = scope;
  const replayed = (value) => value === undefined ? value : addresses.replayed(value);
  const archived = (value) => addresses.archived(value);
  const first = (native) => function(...args) {
    if (args.length) args[0] = replayed(args[0]);
    return native.apply(this, args);
  };
  const requested = (args) => {
    if (args.length && !(args[0] instanceof Request)) args[0] = replayed(args[0]);
    if (args[1] && typeof args[1] === 'object' && (args[1].integrity || args[1].referrer)) {
      args[1] = {...args[1], integrity: ''};
      if (args[1].referrer) args[1].referrer = replayed(args[1].referrer);
    }
    return args;
  };

  const occurrence = occurrences(archived);
  patchMethod(scope, 'fetch', (native) => function(...args) {
    const asked = requested(args);
    const isRequest = asked[0] instanceof Request;
    const times = occurrence(asked[1]?.method || (isRequest && asked[0].method), isRequest ? asked[0].url : asked[0]);
    if (times > 1) {
      const headers = new scope.Headers(asked[1]?.headers || (isRequest ? asked[0].headers : undefined));
      headers.set(OCCURRENCE, String(times));
      asked[1] = {...asked[1], headers};
    }
    return native.apply(this === undefined ? scope : this, asked);
  });
  patchConstructor(scope, 'Request', requested);
  patchAccessor(Request?.prototype, 'url', {read: archived});
  patchAccessor(Request?.prototype, 'referrer', {read: archived});
  patchAccessor(scope.Response?.prototype, 'url', {read: archived});
  patchMethod(scope.Response, 'redirect', first);
  const {XMLHttpRequest} = scope;
  const setHeader = XMLHttpRequest?.prototype.setRequestHeader;
  patchMethod(XMLHttpRequest?.prototype, 'open', (native) => function(method, url, ...rest) {
    native.call(this, method, replayed(url), ...(rest.length ? rest : [true]));
    const times = occurrence(method, url);
    if (times > 1) setHeader.call(this, OCCURRENCE, String(times));
  });
  patchAccessor(XMLHttpRequest?.prototype, 'responseURL', {read: archived});
  patchMethod(scope.Navigator?.prototype, 'sendBeacon', first);
  for (const name of ['add', 'match', 'matchAll', 'delete', 'put', 'keys']) {
    patchMethod(scope.Cache?.prototype, name, (native) => function(...args) {
      if (typeof args[0] === 'string') args[0] = replayed(args[0]);
      return native.apply(this, args);
    });
  }
  patchMethod(scope.Cache?.prototype, 'addAll', (native) => function(list) {
    return native.call(this, Array.from(list, (each) => typeof each === 'string' ? replayed(each) : each));
  });
  patchMethod(scope.CacheStorage?.prototype, 'match', first);
  patchWorklets(scope, replayed);
  for (const name of ['WebTransport', 'Audio']) {
    patchConstructor(scope, name, (args) => args.length ? [replayed(args[0]), ...args.slice(1)] : args);
  }
  patchConstructor(scope, 'RTCPeerConnection', () => [{iceServers: []}]);
  patchAccessor(scope.PerformanceEntry?.prototype, 'name', {read: archived});
  patchAccessor(scope.MessageEvent?.prototype, 'origin', {read: (origin) => addresses.archivedOrigin(origin)});
  patchAccessor(scope.ServiceWorker?.prototype, 'scriptURL', {read: archived});
  patchAccessor(scope.ServiceWorkerRegistration?.prototype, 'scope', {read: archived});
  patchMethod(scope.ServiceWorkerContainer?.prototype, 'register', (native) => function(url, options) {
    const scoped = options && options.scope !== undefined ? {...options, scope: replayed(options.scope)} : options;
    return native.call(this, replayed(url), scoped);
  });
  patchEvents(scope, replayed, archived);
  patchFields(scope);
  patchWorkers(scope, addresses, replayed);
}

// A recorded stream of events has an end where the live one had none: what comes then is silence, not an error.
function patchEvents(scope, replayed, archived) {
  const NativeSource = scope.EventSource;
  if (!NativeSource) return;
  const ended = new WeakSet();
  const {close} = NativeSource.prototype;
  const replacement = new Proxy(NativeSource, {
    construct(target, [url, ...rest], newTarget) {
      const made = newTarget === replacement ? target : newTarget;
      const source = Reflect.construct(target, [replayed(url), ...rest], made);
      let opened = false;
      source.addEventListener('open', () => { opened = true; });
      source.addEventListener('error', (event) => {
        if (!opened) return;
        event.stopImmediatePropagation();
        ended.add(source);
        close.call(source);
      });
      return source;
    },
  });
  patchAccessor(NativeSource.prototype, 'url', {read: archived});
  patchAccessor(NativeSource.prototype, 'readyState', {read(state) { return ended.has(this) ? 1 : state; }});
  patchMethod(NativeSource.prototype, 'close', () => function() {
    ended.delete(this);
    return close.call(this);
  });
  define(scope, 'EventSource', {value: replacement, writable: true});
}

// Worklets have no network of their own; their scripts were wrapped all the same, and get the names they need.
function patchWorklets(scope, replayed) {
  const names = `globalThis.webkeep_message$ = (...args) => args;
    globalThis.webkeep_module$ = globalThis.webkeep_frame$ = (thing) => thing;`;
  const {Blob, URL: {createObjectURL}} = scope;
  patchMethod(scope.Worklet?.prototype, 'addModule', (native) => async function(url, options) {
    await native.call(this, createObjectURL.call(scope.URL, new Blob([names], {type: 'text/javascript'})));
    return native.call(this, replayed(url), options);
  });
}

// Workers from files get their part of the shim from the server; those from blobs get it here.
function patchWorkers(scope, addresses, replayed) {
  const blobs = new Map();
  const {Blob} = scope;
  const create = scope.URL.createObjectURL;
  patchMethod(scope.URL, 'createObjectURL', (native) => function(object) {
    const blob = object instanceof Blob ? addresses.replayedBlob?.(object) || object : object;
    const url = native.call(this, blob);
    if (blob instanceof Blob) blobs.set(url, blob);
    return url;
  });
  patchMethod(scope.URL, 'revokeObjectURL', (native) => function(url) {
    blobs.delete(String(url));
    return native.call(this, url);
  });
  const facts = JSON.stringify({origin: addresses.home, jar: Boolean(addresses.jar)});
  const source = JSON.stringify(`${addresses.origin}/.webkeep/worker.js`);
  const equipped = (url, options) => {
    const blob = blobs.get(url);
    if (!blob) return replayed(url);
    const isModule = options && options.type === 'module';
    const told = `self.webkeep_facts$=${facts}`;
    const prelude = isModule ? `import "data:text/javascript,${encodeURIComponent(told)}";import ${source};` :
      `${told};importScripts(${source});`;
    return create.call(scope.URL, new Blob([prelude, blob], {type: blob.type || 'text/javascript'}));
  };
  for (const name of ['Worker', 'SharedWorker']) {
    patchConstructor(scope, name, ([url, ...rest]) => [equipped(String(url), rest[0]), ...rest]);
  }
}
