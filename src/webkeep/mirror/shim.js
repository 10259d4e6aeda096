// What pages of a copy get to ask for: answers to fetch and XMLHttpRequest, which browsers refuse to files, and a history
// that changes no address. Answers are scripts, because these are all that a file may load; each is loaded when it is
// asked for. The table of answers names them by their archived URL and by the name of their file.
(() => {
  'use strict';
  const own = document.currentScript;
  const root = new URL(own.dataset.root, location.href);
  const page = own.dataset.url;
  const waiting = new Map();
  let table = null;

  window.webkeepAnswer = (key, type, text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    waiting.get(key).heard({bytes, type});
  };
  window.webkeepAnswers = (all) => {
    const byName = new Map(Object.entries(all).map(([url, [key, name]]) => [name, [url, key]]));
    table = {all, byName};
  };

  function load(path) {
    return new Promise((heard, failed) => {
      const script = document.createElement('script');
      script.src = new URL(path, root).href;
      script.onload = heard;
      script.onerror = () => failed(new TypeError('Failed to fetch'));
      document.documentElement.append(script);
      script.remove();
    });
  }

  let asked = null;
  const tabled = () => (asked = asked || load('_webkeep/answers/table.js').then(() => table));

  // The archived URL that an address stands for, and the key of its answer; undefined where the copy has none.
  function found(address) {
    const here = new URL(address, document.baseURI);
    let there = here;
    if (here.protocol === 'file:') {
      if (here.href.startsWith(root.href)) {
        const name = decodeURIComponent(here.pathname.slice(root.pathname.length));
        if (!here.search && table.byName.has(name)) return table.byName.get(name);
      }
      try {
        there = new URL(address, page);
      } catch {
        return undefined;
      }
      if (there.protocol === 'file:') there = new URL(there.pathname + there.search, page);
    }
    there.hash = '';
    const entry = table.all[there.href];
    return entry && [there.href, entry[0]];
  }

  async function answer(address) {
    await tabled();
    const place = found(address);
    if (!place) return undefined;
    const [url, key] = place;
    if (!waiting.has(key)) {
      const slot = {};
      slot.answer = new Promise((heard) => { slot.heard = heard; });
      waiting.set(key, slot);
      await load(`_webkeep/answers/${key}.js`);
    }
    return {url, ...await waiting.get(key).answer};
  }

  const isRead = (method) => /^(get|head)$/i.test(method);
  const isWeb = (address) => /^(https?|file):/.test(new URL(address, document.baseURI).protocol);

  const fetched = window.fetch;
  window.fetch = async function fetch(input, init) {
    const address = input instanceof Request ? input.url : String(input);
    const method = (init && init.method) || (input instanceof Request ? input.method : 'GET');
    if (!isRead(method) || !isWeb(address)) return fetched.call(this, input, init);
    const signal = init && init.signal;
    if (signal && signal.aborted) throw signal.reason;
    const got = await answer(address).catch(() => undefined);
    if (signal && signal.aborted) throw signal.reason;
    if (!got) throw new TypeError('Failed to fetch');
    const headers = {'content-type': got.type, 'content-length': String(got.bytes.length)};
    const response = new Response(/^head$/i.test(method) ? null : got.bytes, {status: 200, statusText: 'OK', headers});
    Object.defineProperty(response, 'url', {value: got.url});
    return response;
  };

  const Real = window.XMLHttpRequest;
  window.XMLHttpRequest = class XMLHttpRequest extends Real {
    open(method, address, ...rest) {
      this.webkeep = isRead(method) && isWeb(address) && rest[0] !== false ? {method, address: String(address)} : null;
      super.open(method, address, ...rest);
    }

    send(body) {
      if (!this.webkeep) return super.send(body);
      const settle = (got) => {
        if (got) this.webkeepSettle(got);
        else super.send(body);
      };
      answer(this.webkeep.address).then(settle, () => settle(undefined));
      return undefined;
    }

    webkeepSettle({url, bytes, type}) {
      const text = () => new TextDecoder((/charset=([^;]+)/i.exec(type) || [])[1] || 'utf-8').decode(bytes);
      const xml = () => new DOMParser().parseFromString(text(), /html/.test(type) ? 'text/html' : 'application/xml');
      const kinds = {
        arraybuffer: () => bytes.buffer, blob: () => new Blob([bytes], {type}), document: xml,
        json: () => JSON.parse(text()), text, '': text,
      };
      const response = kinds[this.responseType]();
      const values = {
        status: 200, statusText: 'OK', readyState: 4, responseURL: url, response,
        responseText: typeof response === 'string' ? response : '',
      };
      for (const [name, value] of Object.entries(values)) Object.defineProperty(this, name, {value, configurable: true});
      Object.defineProperty(this, 'responseXML', {get: xml, configurable: true});
      this.getResponseHeader = (name) => (/^content-type$/i.test(name) ? type : null);
      this.getAllResponseHeaders = () => `content-type: ${type}\r\n`;
      this.dispatchEvent(new Event('readystatechange'));
      for (const name of ['load', 'loadend']) {
        this.dispatchEvent(new ProgressEvent(name, {loaded: bytes.length, total: bytes.length, lengthComputable: true}));
      }
    }
  };

  for (const name of ['pushState', 'replaceState']) {
    const change = history[name];
    history[name] = function changed(state, title, address) {
      try {
        change.call(this, state, title, address);
      } catch {
        change.call(this, state, title);
      }
    };
  }
})();
