// Workers: files may start none, blobs may. Each begins as a small program that waits for its scripts, and for the
// answers to what it asks for, which the page has for it.

const LITERAL = /(["'`])((?:(?!\1)[^\\\n]|\\.){1,300}?)\1/g;
const MOST_SCRIPTS = 300;

function patchWorkers(scope, addresses, modules, program) {
  const {Worker, SharedWorker, Blob, MessageChannel, URL: scopeUrl} = scope;
  const blobs = new Map();
  const create = scopeUrl.createObjectURL;
  patchMethod(scopeUrl, 'createObjectURL', (native) => function(object) {
    const url = native.call(this, object);
    if (object instanceof Blob) blobs.set(url, object);
    return url;
  });
  const decode = ({bytes}) => new TextDecoder().decode(bytes);
  const {holdings} = addresses;

  // The scripts that one may come to import: those it names, and those that lie beside them.
  const gather = async (url, text, sources) => {
    const wanted = new Set();
    for (const [, , literal] of text.matchAll(LITERAL)) {
      const found = [url, addresses.base].map((base) => { try { return new URL(literal, base).href; } catch { return ''; } });
      found.filter(Boolean).forEach((each) => wanted.add(addresses.archived(each)));
    }
    if (/importScripts/.test(text)) holdings.beside(url).forEach((each) => wanted.add(each));
    for (const each of wanted) {
      const found = each in sources || Object.keys(sources).length > MOST_SCRIPTS ? undefined : holdings.find(each);
      if (!found || !(found.has & IS_SCRIPT)) continue;
      const got = await holdings.content(found);
      if (!got) continue;
      sources[each] = decode(got);
      await gather(each, sources[each], sources);
    }
  };
  const moduleClosure = async (url, sources = {}) => {
    const found = url in sources ? undefined : holdings.find(url);
    const module = found && await holdings.module(found);
    if (!module) return sources;
    sources[url] = module;
    for (const each of module.imports) await moduleClosure(each, sources);
    return sources;
  };
  const sourceOf = async (address) => {
    if (blobs.has(address)) return {url: addresses.base, text: await blobs.get(address).text(), isMade: true};
    if (/^(?:data|blob):/.test(address)) {
      return {url: addresses.base, text: await (await nativeFetch(address)).text(), isMade: true};
    }
    const url = addresses.resolve(address)?.href;
    const found = url && holdings.find(url);
    const got = found && await holdings.content(found);
    return got ? {url, text: decode(got)} : undefined;
  };
  // What a worker is told to begin with, and the port by which it asks; `made` is the text of one that a worker made.
  const prepared = async (address, facts, made, from) => {
    const source = made === undefined ? await sourceOf(address) : {url: from, text: made, isMade: true};
    if (!source) return undefined;
    const {url, isMade} = source;
    const sources = {};
    let {text} = source;
    let graph = {};
    if (facts.isModule && !isMade) graph = await moduleClosure(url);
    else await gather(url, text, sources);
    if (isMade) text = text.replace(/\bimport\s*\(/g, `webkeep_import$.from(${JSON.stringify(url)})(`);
    const channel = new MessageChannel();
    channel.port1.onmessage = ({data}) => reply(channel.port1, data);
    const parts = {text, sources, graph, program: program(), root: holdings.root};
    const told = {...facts, url: isMade ? address : url, base: url, ...parts};
    return {told, port: channel.port2};
  };
  const begin = async (worker, address, facts, ports) => {
    const first = await prepared(address, facts);
    if (first) worker.webkeepPost({webkeep$start: first.told}, [first.port, ...ports]);
    else worker.dispatchEvent(new scope.Event('error'));
  };
  const reply = async (port, {id, request, module, nested}) => {
    if (module) {
      port.postMessage({id, graph: await moduleClosure(modules.resolved(module.specifier, module.from))});
    } else if (nested) {
      const first = await prepared(nested.address, nested.facts, nested.made, nested.from);
      port.postMessage({id, told: first?.told}, first ? [first.port] : []);
    } else {
      port.postMessage({id, got: await addresses.answer(request).catch(() => undefined)});
    }
  };
  const program$ = () => create.call(scopeUrl, new Blob([program()], {type: 'text/javascript'}));
  const start = (address, options, facts, ports = []) => {
    const worker = new Worker(program$(), options?.name ? {name: options.name} : {});
    define(worker, 'webkeepPost', {value: Worker.prototype.postMessage.bind(worker)});
    begin(worker, String(address), {isModule: options?.type === 'module', ...facts}, ports);
    return worker;
  };
  const Started = new Proxy(Worker, {construct: (target, [address, options]) => start(address, options, {kind: 'own'})});
  define(scope, 'Worker', {value: Started, writable: true});
  define(Worker.prototype, 'constructor', {value: Started, writable: true});
  const shared = new Map();
  class Shared extends scope.EventTarget {
    constructor(address, options) {
      super();
      const key = `${address} ${typeof options === 'string' ? options : options?.name || ''}`;
      const {port1, port2} = new MessageChannel();
      this.port = port1;
      if (!shared.has(key)) {
        shared.set(key, start(address, typeof options === 'string' ? {name: options} : options, {kind: 'shared'}, [port2]));
      } else {
        shared.get(key).webkeepPost({webkeep$connect: true}, [port2]);
      }
    }
  }
  if (SharedWorker) define(scope, 'SharedWorker', {value: Shared, writable: true});
  return {start};
}
