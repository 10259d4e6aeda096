// Modules: browsers load none from files, but an import map may lead to blobs made of what the copy brings along. All
// imports in these are whole archived URLs, so that the map serves every one of them.

const blobAddress = self.URL.createObjectURL.bind(self.URL);
const NativeBlob = self.Blob;

class Modules {
  constructor(scope, addresses) {
    this.addresses = addresses;
    this.document = scope.document;
    this.mapped = new Set();
    this.names = {};
  }

  // Take in the source of a module; `imports` are the URLs that it imports by statement.
  learn(url, type, source, imports) {
    this.addresses.holdings.modules.set(url, {type, source, imports});
  }

  // Install the map of all modules that are known, and of the names that pages have for some.
  install(names) {
    Object.assign(this.names, names);
    const imports = {};
    for (const [url, {type, source}] of this.addresses.holdings.modules) {
      if (this.mapped.has(url)) continue;
      this.mapped.add(url);
      imports[url] = blobAddress(new NativeBlob([source], {type}));
    }
    for (const [name, url] of Object.entries(names)) if (imports[url]) imports[name] = imports[url];
    if (!Object.keys(imports).length) return;
    const map = nativeCreate('script');
    map.type = 'importmap';
    map.textContent = JSON.stringify({imports});
    nativeAppend.call(this.document.head || this.document.documentElement, map);
    map.remove();
  }

  // The URL of what a module at some URL means by a specifier; a bare name stays one.
  resolved(specifier, from) {
    const text = String(specifier);
    if (/^(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(text)) {
      const url = new URL(text, from).href;
      return this.addresses.archived(url);
    }
    const prefix = Object.keys(this.names).filter((each) => each.endsWith('/') && text.startsWith(each))
      .sort((one, other) => other.length - one.length)[0];
    return this.names[text] || (prefix ? this.names[prefix] + text.slice(prefix.length) : text);
  }

  // What stands for `import()` in a script at some URL.
  importer(from) {
    const load = async (specifier, options) => {
      const url = this.resolved(await specifier, from);
      if (!this.mapped.has(url) && /^https?:/.test(url)) await this.fetch(url);
      const found = this.mapped.has(url) || !/^https?:/.test(url) ? undefined : this.addresses.holdings.find(url);
      const address = found ? this.addresses.holdings.address(found) : url;
      return options === undefined ? import(address) : import(address, options);
    };
    load.resolve = (specifier) => this.resolved(specifier, from);
    return load;
  }

  // Have a module and all it imports, which no tag of the page named.
  async fetch(url, seen = new Set()) {
    if (seen.has(url)) return;
    seen.add(url);
    const found = this.addresses.holdings.find(url);
    const module = found && await this.addresses.holdings.module(found);
    if (!module) return;
    if (found.url !== url) this.addresses.holdings.modules.set(url, module);
    await Promise.all(module.imports.map((each) => this.fetch(each, seen)));
    if (seen.values().next().value === url) this.install({});
  }
}

// Module elements that scripts put in: what they run is imported.
function mendModules(addresses, natives, element) {
  const type = natives.get.call(element, 'type');
  if (element.localName === 'link' && /^\s*modulepreload\s*$/i.test(natives.get.call(element, 'rel') || '')) {
    natives.set.call(element, 'rel', 'webkeep-modulepreload');
    self.setTimeout(() => element.dispatchEvent(new Event('load')), 0);
  }
  if (element.localName !== 'script' || !/^\s*module\s*$/i.test(type || '')) return;
  const source = natives.get.call(element, 'src');
  const url = source && addresses.resolve(addresses.archived(new URL(source, realDocumentBase()).href));
  if (!url || /^data:/.test(source)) return;
  const text = `webkeep_import$.from(${JSON.stringify(addresses.base)})(${JSON.stringify(url.href)})`;
  const called = `data:text/javascript;webkeep=${encodeURIComponent(url.href)},`;
  natives.set.call(element, 'src', `${called}await%20${encodeURIComponent(text)}`);
}
