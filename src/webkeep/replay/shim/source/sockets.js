// WebSockets answered from what was recorded: frames of the server come in their order, each after as many of the
// page's own as there were before it. Without a recording a socket fails as one does whose server is gone.

function patchSockets(scope, addresses) {
  const NativeSocket = scope.WebSocket;
  if (!NativeSocket) return;
  const {EventTarget, Event, MessageEvent, CloseEvent, Blob, DOMException, fetch} = scope;
  const STATES = {CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3};

  class RecordedSocket extends EventTarget {
    #state = {url: '', ready: 0, protocol: '', binaryType: 'blob', sent: 0, frames: [], close: null};

    constructor(url, protocols = []) {
      super();
      const address = new URL(url, scope.document ? scope.document.baseURI : addresses.home);
      address.protocol = {'http:': 'ws:', 'https:': 'wss:'}[address.protocol] || address.protocol;
      if (!/^wss?:$/.test(address.protocol)) {
        throw new DOMException(`The URL's scheme must be either 'ws' or 'wss'.`, 'SyntaxError');
      }
      this.#state.url = addresses.archived(address.href);
      this.#open([].concat(protocols)[0] || '');
    }

    async #open(protocol) {
      const state = this.#state;
      let recorded = null;
      try {
        const path = `/.webkeep/frames?url=${encodeURIComponent(state.url)}`;
        const answer = await fetch.call(scope, addresses.origin + path);
        if (answer.ok) recorded = await answer.json();
      } catch {
        recorded = null;
      }
      if (state.ready !== 0) return;
      if (!recorded || !recorded.frames) {
        this.#finish(1006, '', true);
        return;
      }
      state.protocol = recorded.protocol || protocol;
      state.ready = 1;
      state.frames = recorded.frames;
      state.close = recorded.close;
      this.dispatchEvent(new Event('open'));
      this.#later();
    }

    // Each frame comes in a turn of its own, so that a page can get ready for the next one.
    #later() {
      scope.setTimeout(() => this.#deliver(), 0);
    }

    #deliver() {
      const state = this.#state;
      if (state.ready !== 1) return;
      if (!state.frames.length) {
        // What the page closed then it will close again; this the server did.
        if (state.close) this.#finish(state.close[0], state.close[1]);
        return;
      }
      if (state.frames[0].from === 'client') {
        if (!state.sent) return;
        state.sent--;
        state.frames.shift();
      } else {
        const data = this.#content(state.frames.shift());
        this.dispatchEvent(new MessageEvent('message', {data, origin: new URL(state.url).origin}));
      }
      this.#later();
    }

    #content(frame) {
      if (frame.base64 === undefined) return frame.text;
      const bytes = Uint8Array.from(atob(frame.base64), (sign) => sign.charCodeAt(0));
      return this.#state.binaryType === 'arraybuffer' ? bytes.buffer : new Blob([bytes]);
    }

    send() {
      if (this.#state.ready === 0) throw new DOMException('Still in CONNECTING state.', 'InvalidStateError');
      if (this.#state.ready !== 1) return;
      this.#state.sent++;
      this.#later();
    }

    close(code = 1005, reason = '') {
      if (this.#state.ready > 1) return;
      this.#state.ready = 2;
      scope.setTimeout(() => this.#finish(code, reason), 0);
    }

    #finish(code, reason, failed = false) {
      if (this.#state.ready === 3) return;
      this.#state.ready = 3;
      if (failed) this.dispatchEvent(new Event('error'));
      this.dispatchEvent(new CloseEvent('close', {code, reason, wasClean: !failed}));
    }

    get url() { return this.#state.url; }
    get readyState() { return this.#state.ready; }
    get protocol() { return this.#state.protocol; }
    get extensions() { return ''; }
    get bufferedAmount() { return 0; }
    get binaryType() { return this.#state.binaryType; }
    set binaryType(value) { this.#state.binaryType = value; }
  }
  for (const name of ['open', 'message', 'error', 'close']) {
    const handlers = new WeakMap();
    define(RecordedSocket.prototype, 'on' + name, {
      get() { return handlers.get(this)?.handler || null; },
      set(handler) {
        const before = handlers.get(this);
        if (before) this.removeEventListener(name, before.listener);
        const listener = (event) => typeof handler === 'function' && handler.call(this, event);
        handlers.set(this, {handler, listener});
        this.addEventListener(name, listener);
      },
    });
  }
  for (const [name, value] of Object.entries(STATES)) {
    define(RecordedSocket, name, {value, enumerable: true});
    define(RecordedSocket.prototype, name, {value, enumerable: true});
  }
  define(RecordedSocket, 'name', {value: 'WebSocket'});
  define(scope, 'WebSocket', {value: RecordedSocket, writable: true});
}
