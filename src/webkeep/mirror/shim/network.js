// The network: whatever scripts ask for is answered out of the copy, and nothing leaves it.

const isRead = (method) => /^(?:get|head)$/i.test(method);

function patchNetwork(scope, addresses) {
  const {Request, Response} = scope;
  patchConstructor(scope, 'Request', ([input, ...rest]) => {
    const url = typeof input === 'string' || input instanceof URL ? addresses.resolve(input) : undefined;
    return [url ? url.href : input, ...rest];
  });
  patchMethod(scope, 'fetch', (native) => async function(input, init) {
    const isRequest = input instanceof Request;
    const address = isRequest ? input.url : String(input);
    const url = addresses.resolve(address);
    if (!url) return native.call(scope, input, init);
    const method = String(init?.method || (isRequest && input.method) || 'GET');
    const signal = init?.signal || (isRequest ? input.signal : undefined);
    signal?.throwIfAborted?.();
    const request = {url: url.href, method, destination: '', mode: init?.mode || (isRequest && input.mode) || 'cors'};
    const got = await addresses.answer(request).catch(() => undefined);
    signal?.throwIfAborted?.();
    if (!got) throw new TypeError('Failed to fetch');
    return responseOf(Response, got, method);
  });
  patchMethod(scope.Navigator?.prototype || scope.WorkerNavigator?.prototype, 'sendBeacon', () => () => true);
  patchRequests(scope, addresses);
  patchEvents(scope, addresses);
  if (scope.WebSocket) define(scope, 'WebSocket', {value: silentSocket(scope, addresses), writable: true});
}

function responseOf(Response, {url, bytes, type, status = 200, statusText = 'OK', headers}, method) {
  const fields = headers || {'content-type': type, 'content-length': String(bytes.length)};
  const isEmpty = /^head$/i.test(method) || [101, 204, 205, 304].includes(status);
  const response = new Response(isEmpty ? null : bytes, {status, statusText, headers: fields});
  define(response, 'url', {value: url});
  define(response, 'type', {value: 'basic'});
  return response;
}

function patchRequests(scope, addresses) {
  const Real = scope.XMLHttpRequest;
  if (!Real) return;
  const {ProgressEvent, Event, Blob, DOMParser} = scope;
  const textOf = ({bytes, type}) => new TextDecoder((/charset=["']?([^;"'\s]+)/i.exec(type) || [])[1] || 'utf-8').decode(bytes);
  class XMLHttpRequest extends Real {
    #asked = null;
    #abandoned = 0;

    open(method, address, isAsync = true, ...rest) {
      const url = addresses.resolve(address);
      this.#asked = url && isAsync ? {method: String(method), url: url.href, destination: '', mode: 'cors'} : null;
      for (const name of ['status', 'statusText', 'readyState', 'responseURL', 'response', 'responseText', 'responseXML']) {
        delete this[name];
      }
      super.open(method, url && !isAsync ? addresses.replayed(url.href) : address, isAsync, ...rest);
    }

    send(body) {
      if (!this.#asked) return super.send(body);
      const turn = this.#abandoned;
      const settle = (got) => { if (turn === this.#abandoned) this.#settle(got); };
      addresses.answer(this.#asked).then(settle, () => settle(undefined));
      return undefined;
    }

    abort() {
      this.#abandoned += 1;
      super.abort();
    }

    #settle(got) {
      const size = got ? got.bytes.length : 0;
      const tell = (name) => this.dispatchEvent(new ProgressEvent(name, {loaded: size, total: size, lengthComputable: Boolean(got)}));
      const set = (values) => {
        for (const [name, value] of Object.entries(values)) define(this, name, {value, enumerable: true, writable: true});
      };
      if (!got) {
        set({readyState: 4, status: 0});
        this.dispatchEvent(new Event('readystatechange'));
        ['error', 'loadend'].forEach(tell);
        return;
      }
      const {url, type, status = 200, statusText = 'OK'} = got;
      set({status, statusText, responseURL: url});
      tell('loadstart');
      for (const readyState of [2, 3]) {
        set({readyState});
        this.dispatchEvent(new Event('readystatechange'));
      }
      tell('progress');
      const text = /^head$/i.test(this.#asked.method) ? '' : textOf(got);
      const xml = () => scope.document ?
        new DOMParser().parseFromString(text, /html/.test(type) ? 'text/html' : 'application/xml') : null;
      const json = () => { try { return JSON.parse(text); } catch { return null; } };
      const kinds = {
        arraybuffer: () => got.bytes.slice().buffer, blob: () => new Blob([got.bytes], {type}), document: xml, json,
        text: () => text, '': () => text,
      };
      const response = kinds[this.responseType]();
      set({readyState: 4, response, responseText: typeof response === 'string' ? response : ''});
      define(this, 'responseXML', {get: () => (/xml|html/.test(type) ? xml() : null)});
      this.getResponseHeader = (name) => {
        const fields = got.headers || {'content-type': type, 'content-length': String(size)};
        return fields[String(name).toLowerCase()] ?? null;
      };
      this.getAllResponseHeaders = () => `content-type: ${type}\r\ncontent-length: ${size}\r\n`;
      this.dispatchEvent(new Event('readystatechange'));
      ['load', 'loadend'].forEach(tell);
    }
  }
  define(scope, 'XMLHttpRequest', {value: XMLHttpRequest, writable: true});
}

// A recorded stream of events comes as it came; what follows is silence.
function patchEvents(scope, addresses) {
  if (!scope.EventSource) return;
  const {EventTarget, Event, MessageEvent} = scope;
  class EventSource extends EventTarget {
    onopen = null;
    onmessage = null;
    onerror = null;
    withCredentials = false;

    constructor(address) {
      super();
      this.url = addresses.resolve(address)?.href || String(address);
      this.readyState = 0;
      for (const name of ['open', 'message', 'error']) this.addEventListener(name, (event) => this[`on${name}`]?.(event));
      this.#play();
    }

    async #play() {
      const got = await addresses.answer({url: this.url, method: 'GET', destination: '', mode: 'cors'}).catch(() => undefined);
      if (this.readyState === 2) return;
      this.readyState = got ? 1 : 2;
      this.dispatchEvent(new Event(got ? 'open' : 'error'));
      const {origin} = new URL(this.url);
      for (const block of got ? new TextDecoder().decode(got.bytes).split(/\r?\n\r?\n/) : []) {
        const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line)).filter(Boolean);
        const value = (name) => fields.filter((each) => each[1] === name).map((each) => each[2]);
        if (!value('data').length) continue;
        await new Promise((yes) => scope.setTimeout(yes, 0));
        if (this.readyState !== 1) return;
        const data = value('data').join('\n');
        const lastEventId = value('id').pop() || '';
        this.dispatchEvent(new MessageEvent(value('event').pop() || 'message', {data, origin, lastEventId}));
      }
    }

    close() {
      this.readyState = 2;
    }
  }
  Object.assign(EventSource, {CONNECTING: 0, OPEN: 1, CLOSED: 2});
  define(scope, 'EventSource', {value: EventSource, writable: true});
}

// There is nobody at the other end: it fails as one does whose server is gone.
function silentSocket(scope, addresses) {
  const {EventTarget, Event, CloseEvent} = scope;
  class WebSocket extends EventTarget {
    onopen = null;
    onmessage = null;
    onerror = null;
    onclose = null;
    binaryType = 'blob';
    bufferedAmount = 0;
    extensions = '';
    protocol = '';
    readyState = 0;

    constructor(address) {
      super();
      const url = new URL(String(address), addresses.base);
      url.protocol = url.protocol.replace(/^http/, 'ws');
      this.url = url.href;
      for (const name of ['error', 'close']) this.addEventListener(name, (event) => this[`on${name}`]?.(event));
      scope.setTimeout(() => {
        this.readyState = 3;
        this.dispatchEvent(new Event('error'));
        this.dispatchEvent(new CloseEvent('close', {code: 1006, wasClean: false}));
      }, 0);
    }

    send() {}
    close() {}
  }
  for (const owner of [WebSocket, WebSocket.prototype]) Object.assign(owner, {CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3});
  return WebSocket;
}
