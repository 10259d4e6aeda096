// The program that a worker of a copy begins with: it waits to be told its script, and holds back what it is sent until
// that has run.

const nativeImport = self.importScripts;
const makeAddress = self.URL.createObjectURL.bind(self.URL);
const {Blob: OwnBlob, MessageEvent: OwnMessage, Worker: OwnWorker} = self;
const held = [];
let connect = null;

function hear(event) {
  const {data} = event;
  if (data && data.webkeep$connect) {
    event.stopImmediatePropagation();
    connect(event.ports[0]);
  } else if (!self.webkeep_started$ || (data && data.webkeep$start)) {
    event.stopImmediatePropagation();
    if (data && data.webkeep$start) begin(data.webkeep$start, event.ports);
    else held.push(event);
  }
}
self.addEventListener('message', hear);

const asScript = (text) => makeAddress(new OwnBlob([text], {type: 'text/javascript'}));

class WorkerAddresses {
  constructor(told, port) {
    this.told = told;
    this.page = told.url;
    this.base = told.base;
    this.home = new URL(told.base).origin;
    this.calls = new Map();
    this.port = port;
    port.onmessage = ({data, ports}) => { this.calls.get(data.id)({...data, ports}); this.calls.delete(data.id); };
  }

  ask(message) {
    return new Promise((heard) => {
      const id = this.calls.size + Math.random();
      this.calls.set(id, heard);
      this.port.postMessage({id, ...message});
    });
  }

  resolve(value) {
    try {
      const url = new URL(String(value), this.base);
      return /^(?:https?|file):$/.test(url.protocol) ? url : undefined;
    } catch {
      return undefined;
    }
  }

  replayed(value) {
    return String(value);
  }

  async answer(request) {
    return (await this.ask({request})).got;
  }
}

// A graph of modules as blobs, what is imported before what imports it.
function moduleAddress(url, graph, made = new Map()) {
  if (made.has(url)) return made.get(url);
  made.set(url, url);
  const {source, imports} = graph[url] || {source: '', imports: []};
  let text = source;
  for (const each of imports) {
    const address = moduleAddress(each, graph, made);
    for (const quote of ['"', "'"]) text = text.split(quote + each + quote).join(quote + address + quote);
  }
  const address = asScript(text);
  made.set(url, address);
  return address;
}

// Workers that a worker starts begin with the same program; the page says what they are.
function patchNested(scope, addresses) {
  if (!OwnWorker) return;
  const blobs = new Map();
  patchMethod(scope.URL, 'createObjectURL', (native) => function(object) {
    const url = native.call(this, object);
    if (object instanceof OwnBlob) blobs.set(url, object);
    return url;
  });
  const begin = async (worker, address, facts) => {
    const made = await blobs.get(address)?.text();
    const nested = {address: addresses.resolve(address)?.href || address, facts, made, from: addresses.base};
    const {told, ports} = await addresses.ask({nested});
    if (told) OwnWorker.prototype.postMessage.call(worker, {webkeep$start: told}, [...ports]);
    else worker.dispatchEvent(new scope.Event('error'));
  };
  define(scope, 'Worker', {writable: true, value: new Proxy(OwnWorker, {construct: (target, [address, options]) => {
    // One that is made here: a worker on a disk may start no other.
    const worker = new OwnWorker(asScript(addresses.told.program), options?.name ? {name: options.name} : {});
    begin(worker, String(address), {isModule: options?.type === 'module', kind: 'own'});
    return worker;
  }})});
}

async function begin(told, [port, ...ports]) {
  const addresses = new WorkerAddresses(told, port);
  const place = new URL(told.url);
  const location = {toString: () => place.href};
  for (const name of ['href', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin']) {
    define(location, name, {get: () => place[name], enumerable: true});
  }
  define(self, 'location', {value: location, enumerable: true});
  define(self, 'origin', {value: addresses.home});
  define(self, 'webkeep_location$', {value: location});
  define(self, 'webkeep_frame$', {value: (thing) => thing});
  define(self, 'webkeep_message$', {value: (...args) => args});
  const made = new Map();
  const importer = (from) => {
    const load = async (specifier) => {
      const {graph} = await addresses.ask({module: {specifier: String(specifier), from}});
      const [url] = Object.keys(graph);
      if (!url) throw new TypeError(`Failed to fetch dynamically imported module: ${specifier}`);
      return import(moduleAddress(url, graph, made));
    };
    load.resolve = (specifier) => new URL(specifier, from).href;
    return load;
  };
  define(self, 'webkeep_import$', {value: {from: importer}});
  patchNetwork(self, addresses);
  patchNested(self, addresses);
  define(self, 'importScripts', {value: (...urls) => {
    for (const each of urls) {
      const url = addresses.resolve(each)?.href.split('#')[0];
      if (url && url in told.sources) nativeImport.call(self, asScript(told.sources[url]));
      else if (url) throw new DOMException(`The script at '${url}' failed to load.`, 'NetworkError');
      else nativeImport.call(self, String(each));
    }
  }, writable: true});
  if (told.kind === 'service') serve(self, addresses, ports[0], told.scope);
  try {
    if (told.isModule && told.graph[told.base]) await import(moduleAddress(told.base, told.graph, made));
    else if (told.isModule) await import(asScript(told.text));
    else nativeImport.call(self, asScript(told.text));
  } catch (error) {
    self.setTimeout(() => { throw error; }, 0);
  }
  define(self, 'webkeep_started$', {value: true});
  addresses.isRunning?.();
  connect = (one) => {
    const event = new OwnMessage('connect', {data: '', ports: [one], source: one});
    self.dispatchEvent(event);
    self.onconnect?.(event);
  };
  if (told.kind === 'shared') connect(ports[0]);
  for (const each of held.splice(0)) {
    self.dispatchEvent(new OwnMessage('message', {data: each.data, origin: each.origin, ports: [...each.ports]}));
  }
}
