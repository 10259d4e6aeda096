// What scripts see on a replayed page, and what they would have seen on the live one.
const HOME = 'https://www.town.example';
const OTHER = 'https://cdn.other.example';
const PAGE = HOME + '/dir/page.html';
const link = document.getElementById('link');
const own = document.getElementById('own');

const seen = {
  href: location.href,
  host: window.location.host,
  protocol: document.location.protocol,
  text: String(location),
  own: (function(location) { return location; })('mine'),
  member: {location: 1}.location,
  shorthand: ({location}).location.port,
};

window.views = {
  'location': () => [seen, {
    href: PAGE, host: 'www.town.example', protocol: 'https:', text: PAGE, own: 'mine', member: 1, shorthand: '',
  }],
  'location-members': async () => {
    await run('window.spread = {...location}');
    await run('window.kinds = [location instanceof Location, `${location}`, location + ""]');
    return [[window.spread.href, window.spread.port, window.kinds], [PAGE, '', [true, PAGE, PAGE]]];
  },
  'location-of-windows': async () => {
    await run('window.found = [top.location, parent.location].map((it) => String(it))');
    await run('var w = window; found.push(w.location.host)');
    await run('window.thing = {location: 5}; found.push(thing.location)');
    return [window.found, [PAGE, PAGE, 'www.town.example', 5]];
  },
  'no-trace': () => [[document.scripts.length, document.head.firstElementChild.localName], [3, 'meta']],
  'document': () => [
    [document.URL, document.documentURI, document.baseURI, box.baseURI, document.domain, document.referrer, origin],
    [PAGE, PAGE, PAGE, PAGE, 'www.town.example', '', HOME],
  ],
  'link-parts': () => [
    ['href', 'origin', 'protocol', 'host', 'hostname', 'port', 'pathname', 'hash'].map((part) => link[part]),
    [OTHER + ':444/a/b?c#d', OTHER + ':444', 'https:', 'cdn.other.example:444', 'cdn.other.example', '444', '/a/b',
      '#d'],
  ],
  'own-link': () => [
    [own.href, own.host, String(own)], [HOME + '/dir/next.html', 'www.town.example', HOME + '/dir/next.html'],
  ],
  'link-changed': () => {
    const made = document.createElement('a');
    made.href = '/x';
    made.host = 'cdn.other.example';
    return [made.href, OTHER + '/x'];
  },
  'markup': () => {
    box.innerHTML = `<a href="${OTHER}/x">x</a>`;
    return [box.innerHTML, `<a href="${OTHER}/x">x</a>`];
  },
  'policy-lifted': () => [document.querySelector('meta[http-equiv]'), null],
  'cookies': () => {
    document.cookie = 'a=1; domain=.town.example; path=/; secure';
    document.cookie = 'b=2';
    document.cookie = 'c=3; domain=other.example';
    return [document.cookie.split('; ').sort(), ['a=1', 'b=2']];
  },
  'storage': () => {
    localStorage.setItem('k', 'v');
    return [localStorage.getItem('k'), 'v'];
  },
  'history': async () => {
    history.pushState(1, '', HOME + '/pushed?x');
    await run('window.pushed = location.href');
    const found = [window.pushed, document.URL];
    history.back();
    await wait(window, 'popstate');
    return [found, [HOME + '/pushed?x', HOME + '/pushed?x']];
  },
  'response-url': async () => [(await fetch(OTHER + '/d.json')).url, OTHER + '/d.json'],
  'request-url': () => [new Request('//cdn.other.example/d.json').url, OTHER + '/d.json'],
  'messages': async () => {
    const frame = window.talker = document.createElement('iframe');
    frame.src = OTHER + '/frame.html';
    box.append(frame);
    const ready = await wait(window, 'message');
    run(`talker.contentWindow.postMessage('hi', '${OTHER}')`);
    const answer = await wait(window, 'message');
    return [[ready.origin, answer.origin, answer.data], [OTHER, OTHER, [HOME, 'hi', OTHER]]];
  },
  'message-to-self': async () => {
    const heard = wait(window, 'message');
    postMessage('x', HOME);
    return [(await heard).origin, HOME];
  },
  'socket': async () => {
    const socket = new WebSocket('wss://www.town.example/socket');
    socket.binaryType = 'arraybuffer';
    const heard = [socket.url];
    socket.onopen = () => heard.push('open');
    socket.addEventListener('message', ({data}) => {
      heard.push(typeof data === 'string' ? data : [...new Uint8Array(data)]);
      if (data === 'welcome') socket.send('hello');
    });
    const {code, reason, wasClean} = await wait(socket, 'close');
    return [
      [...heard, code, reason, wasClean, socket.readyState],
      ['wss://www.town.example/socket', 'open', 'welcome', 'HELLO', [1, 2], 1000, 'bye', true, 3],
    ];
  },
  'socket-not-recorded': async () => {
    const socket = new WebSocket('wss://chat.other.example/');
    const heard = [];
    socket.onerror = () => heard.push('error');
    const {code, wasClean} = await wait(socket, 'close');
    return [[...heard, code, wasClean], ['error', 1006, false]];
  },
  'socket-relative': async () => {
    const socket = new WebSocket('/socket');
    socket.close();
    await wait(socket, 'close');
    return [socket.url, 'wss://www.town.example/socket'];
  },
  'events-go-silent': async () => {
    const source = new EventSource('/events');
    let failed = false;
    source.onerror = () => { failed = true; };
    const loaded = new Promise((done) => new PerformanceObserver((list) => {
      if (list.getEntries().some(({name}) => name === HOME + '/events')) done();
    }).observe({type: 'resource', buffered: true}));
    await wait(source, 'message');
    await loaded;
    await fetch('/asked.json');
    return [[source.url, source.readyState, failed], [HOME + '/events', 1, false]];
  },
  'worker': async () => [
    (await wait(new Worker('/worker.js'), 'message')).data, [HOME + '/worker.js', HOME, HOME],
  ],
  'worklet': async () => {
    const context = new OfflineAudioContext(1, 128, 44100);
    await context.audioWorklet.addModule('/worklet.js');
    const {port} = new AudioWorkletNode(context, 'teller');
    const heard = new Promise((done) => { port.onmessage = (event) => done(event.data); });
    return [await heard, 'told'];
  },
  'integrity': () => {
    const script = document.createElement('script');
    script.integrity = 'sha256-x';
    return [[script.integrity, script.hasAttribute('integrity')], ['sha256-x', false]];
  },
  'style': () => {
    box.style.backgroundImage = `url(${OTHER}/d.json)`;
    return [
      [getComputedStyle(box).backgroundImage, box.style.backgroundImage, box.style === box.style,
        box.style instanceof CSSStyleDeclaration, box.getAttribute('style'),
        box.style.getPropertyValue('background-image') !== ''],
      [`url("${OTHER}/d.json")`, `url("${OTHER}/d.json")`, true, true, `background-image: url("${OTHER}/d.json");`,
        true],
    ];
  },
  'srcdoc': async () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = '<p>inner';
    box.append(frame);
    await wait(frame, 'load');
    const {body, head} = frame.contentDocument;
    return [[frame.srcdoc, body.innerHTML, head.innerHTML], ['<p>inner', '<p>inner</p>', '']];
  },
  'natives': () => [
    [new Request('/').constructor === Request, new Image() instanceof Image, WebSocket.OPEN,
      new Date().constructor === Date, fetch.name, Element.prototype.setAttribute.length],
    [true, true, 1, true, 'fetch', 2],
  ],
};
