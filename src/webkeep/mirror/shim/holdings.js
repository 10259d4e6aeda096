// What is in the copy: a table of all its URLs with their files, and of those that scripts may ask for an answer, which
// is a script itself, as these are all that a file may load. On a web server what has none is asked for where it lies.

const HAS_ANSWER = 1, HAS_MODULE = 2, IS_SCRIPT = 4;
const BUSTER = /^(?:_|__|_dc|_ts|_t|_r|cb|cache|cachebuster|cachebust|nocache|bust|rnd|rand|random|nonce|ts?|timestamp)$/i;
const SECRET = /=(?:redacted|\[redacted\]|%5Bredacted%5D)$/i;
const CHANCE = /^(?:1\d{9}(?:\d{3})?|0\.\d{6,})$/;

class Holdings {
  // `root` is the address of the copy's folder.
  constructor(root) {
    this.root = root;
    this.folders = new Map();
    this.groups = [];
    this.files = null;
    this.paths = null;
    this.atSite = null;
    this.waiting = new Map();
    this.modules = new Map();
    this.embedded = new Map();
    this.made = new Map();
  }

  // Take in what the page itself holds, where all is in one file: media types and contents by URL.
  embed(all) {
    for (const [url, [type, text]] of Object.entries(all)) this.embedded.set(url, {type, text});
  }

  // Take in the table: groups of [directory of URLs, folder, entries]; an entry is a name that both have, or
  // [name of the URL, name of the file, key of the answer, what there is].
  learn(groups) {
    this.groups.push(...groups);
    for (const group of groups) {
      if (!this.folders.has(group[0])) this.folders.set(group[0], []);
      this.folders.get(group[0]).push(group);
    }
    this.files = this.paths = this.atSite = null;
  }

  documentBase() {
    return realDocumentBase();
  }

  // Whether a text is an address in the copy. Where the copy lies at the address that the site had, what is no file of
  // it is an archived URL.
  isOwn(text) {
    if (this.root === '') return this.made.has(text.split('#')[0]);
    return text.startsWith(this.root) && (!this.liesAtSite() || this.isFile(text));
  }

  liesAtSite() {
    if (this.atSite === null) {
      const {origin} = new URL(this.root);
      this.atSite = this.groups.some(([directory]) => directory.startsWith(origin + '/'));
    }
    return this.atSite;
  }

  isFile(address) {
    const name = this.nameOf(address);
    return name !== undefined && (name.startsWith('_webkeep/') || this.named().has(name));
  }

  // The name of a file in the copy by its address.
  nameOf(address) {
    try {
      return decodeURIComponent(address.slice(this.root.length).split(/[?#]/)[0]);
    } catch {
      return undefined;
    }
  }

  // What there is of a URL; undefined where the copy has nothing of it.
  find(href) {
    const url = href.split('#')[0];
    return this.exact(url) || this.like(url);
  }

  exact(url) {
    if (this.embedded.has(url)) {
      const isScript = /script/.test(this.embedded.get(url).type);
      return {url, name: '', has: HAS_ANSWER | (isScript ? IS_SCRIPT | HAS_MODULE : 0)};
    }
    const end = url.split('?')[0].lastIndexOf('/') + 1;
    for (const group of this.folders.get(url.slice(0, end)) || []) {
      if (!group.index) {
        group.index = new Map(group[2].map((each) => typeof each === 'string' ? [each, [each]] : [each[0], each]));
      }
      const found = group.index.get(url.slice(end));
      if (found) {
        const file = found[1] === undefined || found[1] === 0 ? found[0] : found[1];
        return {url, name: file.startsWith('/') ? file.slice(1) : `${group[1]}/${file}`, key: found[2], has: found[3] || 0};
      }
    }
    return undefined;
  }

  // What differs only in what scripts put in to get past caches, in secrets that were not kept, or in the order of its
  // parameters.
  like(url) {
    const [path, query] = url.split('?');
    if (query === undefined) return undefined;
    if (!this.paths) {
      this.paths = new Map();
      for (const known of this.embedded.keys()) this.paths.set(known.split('?')[0], [known]);
      for (const [directory, , entries] of this.groups) {
        for (const each of entries) {
          const known = directory + (typeof each === 'string' ? each : each[0]);
          const before = known.split('?')[0];
          if (!this.paths.has(before)) this.paths.set(before, []);
          this.paths.get(before).push(known);
        }
      }
    }
    const wanted = meant(query);
    const found = (this.paths.get(path) || []).find((each) => isSame(meant(each.split('?')[1] || ''), wanted));
    return found && this.exact(found);
  }

  address(found) {
    if (this.embedded.has(found.url)) {
      const {type} = this.embedded.get(found.url);
      const known = [...this.made].find(([, url]) => url === found.url);
      if (known) return known[0];
      const address = blobAddress(new NativeBlob([this.bytes(found.url)], {type}));
      this.made.set(address, found.url);
      return address;
    }
    return this.root + found.name.split('/').map(encodeURIComponent).join('/');
  }

  bytes(url) {
    return Uint8Array.from(atob(this.embedded.get(url).text), (sign) => sign.charCodeAt(0));
  }

  // The URL that an address in the copy stands for.
  urlOf(address) {
    if (!this.isOwn(address)) return undefined;
    if (this.root === '') return this.made.get(address.split('#')[0]);
    const name = this.nameOf(address);
    const url = name && this.named().get(name);
    return url && url + (/#.*$/s.exec(address)?.[0] || '');
  }

  // The URLs by the names of the files that stand for them.
  named() {
    if (!this.files) {
      this.files = new Map();
      for (const [directory, folder, entries] of this.groups) {
        for (const each of entries) {
          const [leaf, file] = typeof each === 'string' ? [each] : each;
          const known = file || leaf;
          if (!known.startsWith('/')) this.files.set(`${folder}/${known}`, directory + leaf);
        }
      }
    }
    return this.files;
  }

  // The scripts beside some URL, which another script may name by a text it makes.
  beside(url) {
    const directory = url.slice(0, url.split('?')[0].lastIndexOf('/') + 1);
    return (this.folders.get(directory) || []).flatMap(([, , entries]) => entries)
      .filter((each) => typeof each !== 'string' && each[3] & IS_SCRIPT && each[3] & HAS_ANSWER)
      .map((each) => directory + each[0]);
  }

  hear(key, type, text) {
    this.waiting.get(key)?.heard({type, bytes: Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))});
  }

  // The content of something that is in the copy; undefined where it cannot be had from here.
  async content(found) {
    if (this.embedded.has(found.url)) return {type: this.embedded.get(found.url).type, bytes: this.bytes(found.url)};
    if (found.has & HAS_ANSWER) {
      if (!this.waiting.has(found.key)) {
        const slot = {};
        slot.answer = new Promise((heard) => { slot.heard = heard; });
        this.waiting.set(found.key, slot);
        await loadScript(`${this.root}_webkeep/answers/${found.key}.js`).catch(() => slot.heard(undefined));
      }
      return this.waiting.get(found.key).answer;
    }
    if (!/^https?:/.test(this.root)) return undefined;
    const response = await nativeFetch(this.address(found));
    if (!response.ok) return undefined;
    return {type: response.headers.get('content-type') || '', bytes: new Uint8Array(await response.arrayBuffer())};
  }

  // The module form of a script: its source, in which all imports are whole URLs, and what these are.
  async module(found) {
    if (!this.modules.has(found.url) && this.root && found.has & HAS_MODULE) {
      await loadScript(`${this.root}_webkeep/modules/${found.key}.js`).catch(() => undefined);
    }
    return this.modules.get(found.url);
  }
}

function meant(query) {
  return query.split('&').filter((each) => {
    const [name, value = ''] = each.split('=');
    return each && !BUSTER.test(name) && !CHANCE.test(value) && !(CHANCE.test(name) && !value);
  }).sort();
}

function isSame(known, wanted) {
  const isMeant = (each, at) => each === wanted[at] || (SECRET.test(each) && wanted[at].startsWith(each.replace(SECRET, '=')));
  return known.length === wanted.length && known.every(isMeant);
}

const {document: theDocument, fetch: pageFetch} = self;
const nativeFetch = (...args) => pageFetch.apply(self, args);
const baseOf = theDocument && Object.getOwnPropertyDescriptor(Node.prototype, 'baseURI').get;
const realDocumentBase = () => theDocument ? baseOf.call(theDocument) : realLocation.href;

function loadScript(address) {
  return new Promise((loaded, failed) => {
    const script = nativeCreate('script');
    nativeSource.call(script, address);
    script.onload = loaded;
    script.onerror = () => failed(new TypeError('Failed to fetch'));
    nativeAppend.call(theDocument.head || theDocument.documentElement, script);
    script.remove();
  });
}

const nativeCreate = theDocument && theDocument.createElement.bind(theDocument);
const nativeSource = theDocument && Object.getOwnPropertyDescriptor(HTMLScriptElement.prototype, 'src').set;
const nativeAppend = theDocument && Node.prototype.appendChild;
