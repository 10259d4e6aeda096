// Service workers: a copy has no address that one could serve, so it runs as a worker of the page, which asks it first.

function patchServices(scope, addresses, workers) {
  const {EventTarget, Event, MessageChannel, navigator, Navigator} = scope;
  if (!scope.ServiceWorkerContainer && !('serviceWorker' in navigator)) return;
  const container = new EventTarget();
  let settle;
  const ready = new Promise((yes) => { settle = yes; });
  const registrations = new Map();
  let asked = null;
  const handle = (name) => define(container, `on${name}`, {value: null, writable: true});
  ['controllerchange', 'message', 'messageerror'].forEach(handle);
  const tell = (target, event) => {
    target.dispatchEvent(event);
    target[`on${event.type}`]?.(event);
  };

  const register = async (address, options = {}) => {
    const url = addresses.resolve(address)?.href;
    if (!url || !addresses.holdings.find(url)) throw new TypeError('Failed to register a ServiceWorker.');
    if (registrations.has(url)) return registrations.get(url);
    const {port1, port2} = new MessageChannel();
    const service = Object.assign(new EventTarget(), {scriptURL: url, state: 'installing', onstatechange: null, onerror: null});
    const registration = Object.assign(new EventTarget(), {
      scope: new URL(options.scope || './', options.scope ? addresses.base : url).href, installing: service, waiting: null,
      active: null, updateViaCache: 'imports', onupdatefound: null, update: async () => registration,
      unregister: async () => true, showNotification: async () => undefined, getNotifications: async () => [],
      navigationPreload: {enable: async () => undefined, disable: async () => undefined},
    });
    registrations.set(url, registration);
    let number = 0;
    const calls = new Map();
    const call = (message) => new Promise((yes) => {
      number += 1;
      calls.set(number, yes);
      port1.postMessage({id: number, ...message});
    });
    port1.onmessage = ({data, ports}) => {
      if (data.message !== undefined) {
        tell(container, new scope.MessageEvent('message', {data: data.message, origin: addresses.home, ports: [...ports]}));
      } else {
        calls.get(data.id)?.(data.result);
        calls.delete(data.id);
      }
    };
    service.postMessage = (message) => { call({kind: 'message', message}); };
    workers.start(url, {type: options.type}, {kind: 'service', scope: registration.scope}, [port2]);
    const become = (state) => {
      service.state = state;
      tell(service, new Event('statechange'));
    };
    const run = async () => {
      await call({kind: 'install'});
      Object.assign(registration, {installing: null, waiting: service});
      become('installed');
      Object.assign(registration, {waiting: null, active: service});
      become('activating');
      await call({kind: 'activate'});
      become('activated');
      asked = (request) => call({kind: 'fetch', request});
      controller = service;
      settle(registration);
      tell(container, new Event('controllerchange'));
    };
    run();
    return registration;
  };
  let controller = null;
  Object.assign(container, {
    register, startMessages: () => {}, getRegistrations: async () => [...registrations.values()],
    getRegistration: async () => [...registrations.values()][0],
  });
  define(container, 'ready', {get: () => ready});
  define(container, 'controller', {get: () => controller});
  define(Navigator.prototype, 'serviceWorker', {get: () => container, enumerable: true});
  // What a service worker answers; undefined where it leaves a request to others.
  addresses.served = async (request) => asked ? asked(request) : undefined;
}
