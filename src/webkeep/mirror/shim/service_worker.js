// What a service worker has around it: caches in memory, its clients, and events that wait for what they set off.

function serve(scope, addresses, port, place) {
  const {Response, Request, Event} = scope;
  const keyOf = (request) => addresses.resolve(typeof request === 'string' || request instanceof URL ? request : request.url).href;
  class Cache {
    #held = new Map();
    async match(request, {ignoreSearch} = {}) {
      const key = keyOf(request);
      const bare = (text) => ignoreSearch ? text.split('?')[0] : text;
      const found = [...this.#held].find(([each]) => bare(each) === bare(key));
      return found ? found[1][1].clone() : undefined;
    }
    async matchAll(request) { return request ? [await this.match(request)].filter(Boolean) : [...this.#held.values()].map((each) => each[1].clone()); }
    async put(request, response) {
      this.#held.set(keyOf(request), [typeof request === 'string' ? new Request(request) : request, response]);
    }
    async add(request) { await this.put(request, await scope.fetch(request)); }
    async addAll(all) { await Promise.all([...all].map((each) => this.add(each))); }
    async delete(request) { return this.#held.delete(keyOf(request)); }
    async keys() { return [...this.#held.values()].map((each) => each[0]); }
  }
  const stores = new Map();
  const caches = {
    async open(name) { if (!stores.has(name)) stores.set(name, new Cache()); return stores.get(name); },
    async has(name) { return stores.has(name); },
    async keys() { return [...stores.keys()]; },
    async delete(name) { return stores.delete(name); },
    async match(request, options) {
      for (const each of stores.values()) {
        const found = await each.match(request, options);
        if (found) return found;
      }
      return undefined;
    },
  };
  class ExtendableEvent extends Event {
    pending = [];
    waitUntil(promise) { this.pending.push(promise); }
    async settled() {
      for (let at = 0; at < this.pending.length; at += 1) await Promise.resolve(this.pending[at]).catch(() => undefined);
    }
  }
  class FetchEvent extends ExtendableEvent {
    answered = null;
    clientId = 'page';
    resultingClientId = '';
    isReload = false;
    preloadResponse = Promise.resolve(undefined);
    handled = Promise.resolve(undefined);
    constructor(request) { super('fetch', {cancelable: true}); this.request = request; }
    respondWith(answer) { this.answered = Promise.resolve(answer); }
  }
  const client = {
    id: 'page', type: 'window', url: addresses.base, frameType: 'top-level', visibilityState: 'visible', focused: true,
    postMessage: (message, transfer) => port.postMessage({message}, Array.isArray(transfer) ? transfer : []),
    focus: async () => client, navigate: async () => client,
  };
  const values = {
    caches, ExtendableEvent, FetchEvent, skipWaiting: async () => undefined,
    clients: {claim: async () => undefined, matchAll: async () => [client], get: async () => client, openWindow: async () => null},
    registration: {
      scope: place, active: {state: 'activated', scriptURL: addresses.page}, installing: null, waiting: null,
      update: async () => undefined, unregister: async () => true, showNotification: async () => undefined,
      addEventListener: () => undefined, navigationPreload: {enable: async () => undefined, disable: async () => undefined},
    },
    serviceWorker: {state: 'activated', scriptURL: addresses.page, addEventListener: () => undefined},
    ServiceWorkerGlobalScope: scope.DedicatedWorkerGlobalScope,
  };
  for (const [name, value] of Object.entries(values)) define(scope, name, {value, writable: true});
  const tell = async (event) => {
    scope.dispatchEvent(event);
    scope[`on${event.type}`]?.(event);
    await event.settled?.();
  };
  const replied = async (request) => {
    const asked = new Request(request.url, {method: request.method});
    define(asked, 'destination', {value: request.destination});
    define(asked, 'mode', {value: request.mode});
    const event = new FetchEvent(asked);
    scope.dispatchEvent(event);
    scope.onfetch?.(event);
    if (!event.answered) return undefined;
    const response = await event.answered;
    if (!(response instanceof Response)) return undefined;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    const {status, statusText} = response;
    return {url: response.url || request.url, bytes, type: headers['content-type'] || '', headers, status, statusText};
  };
  const running = new Promise((yes) => { addresses.isRunning = yes; });
  port.onmessage = async ({data: {id, kind, request, message}}) => {
    await running;
    let result;
    if (kind === 'fetch') result = await replied(request).catch(() => undefined);
    else if (kind === 'message') {
      const event = Object.assign(new ExtendableEvent('message'), {data: message, source: client, origin: addresses.home, ports: []});
      await tell(event);
    } else await tell(new ExtendableEvent(kind));
    port.postMessage({id, result});
  };
}
