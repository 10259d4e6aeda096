// Ways in which a script reaches for something on another host: each asks for `url`, and says when it has.
window.ways = {
  async 'fetch'(url) {
    await fetch(url);
  },
  async 'fetch-url-object'(url) {
    await fetch(new URL(url));
  },
  async 'fetch-request'(url) {
    await fetch(new Request(url, {integrity: ''}));
  },
  async 'fetch-integrity'(url) {
    await fetch(url, {integrity: 'sha256-AAAA', method: 'GET'}).catch(() => 0);
  },
  async 'fetch-no-cors'(url) {
    await fetch(url, {mode: 'no-cors'});
  },
  async 'fetch-post'(url) {
    await fetch(url, {method: 'POST', body: 'said', headers: {'X-Any': 'a'}});
  },
  async 'xhr'(url) {
    const x = new XMLHttpRequest;
    x.open('GET', url);
    x.send();
    await wait(x, 'load');
  },
  async 'xhr-sync'(url) {
    const x = new XMLHttpRequest;
    x.open('GET', url, false);
    x.send();
  },
  async 'beacon'(url) {
    navigator.sendBeacon(url, 'said');
    await asked(url);
  },
  async 'event-source'(url) {
    await wait(new EventSource(url.replace('probe', 'events')), 'message');
    await fetch(url);
  },
  async 'image-property'(url) {
    const i = new Image;
    i.src = url;
    await wait(i, 'load');
  },
  async 'image-attribute'(url) {
    const i = new Image;
    i.setAttribute('src', url);
    await wait(i, 'load');
  },
  async 'image-attribute-case'(url) {
    const i = new Image;
    i.setAttribute('SRC', url);
    await wait(i, 'load');
  },
  async 'image-attribute-node'(url) {
    const i = new Image, a = document.createAttribute('src');
    a.value = url;
    i.setAttributeNode(a);
    await wait(i, 'load');
  },
  async 'image-srcset'(url) {
    const i = new Image;
    i.srcset = `${url} 1x, ${url}&big 2x`;
    await wait(i, 'load');
  },
  async 'image-scheme-relative'(url) {
    const i = new Image;
    i.src = url.slice(6);
    await wait(i, 'load');
  },
  async 'image-broken-scheme'(url) {
    const i = new Image;
    i.src = ' \n' + url.replace('tt', 't\tt');
    await wait(i, 'load');
  },
  async 'image-backslashes'(url) {
    const i = new Image;
    i.src = url.replace('//', '\\\\');
    await wait(i, 'load');
  },
  async 'inner-html'(url) {
    box.innerHTML = `<p><img src='${url}'></p>`;
    await wait(box.querySelector('img'), 'load');
  },
  async 'inner-html-unquoted'(url) {
    box.innerHTML = `<img src=${url}>`;
    await wait(box.querySelector('img'), 'load');
  },
  async 'inner-html-entity'(url) {
    box.innerHTML = `<img src="${url.replace(':', '&#58;')}">`;
    await wait(box.querySelector('img'), 'load');
  },
  async 'inner-html-newline'(url) {
    box.innerHTML = `<img\nsrc\n=\n'${url}'>`;
    await wait(box.querySelector('img'), 'load');
  },
  async 'outer-html'(url) {
    box.innerHTML = '<b></b>';
    box.firstChild.outerHTML = `<img src='${url}'>`;
    await wait(box.querySelector('img'), 'load');
  },
  async 'insert-adjacent-html'(url) {
    box.insertAdjacentHTML('beforeend', `<img src='${url}'>`);
    await wait(box.lastChild, 'load');
  },
  async 'contextual-fragment'(url) {
    box.append(document.createRange().createContextualFragment(`<img src='${url}'>`));
    await wait(box.lastChild, 'load');
  },
  async 'dom-parser'(url) {
    box.append(new DOMParser().parseFromString(`<img src='${url}'>`, 'text/html').images[0]);
    await wait(box.lastChild, 'load');
  },
  async 'template'(url) {
    const t = document.createElement('template');
    t.innerHTML = `<img src='${url}'>`;
    box.append(t.content.cloneNode(true));
    await wait(box.lastChild, 'load');
  },
  async 'xml-node'(url) {
    const d = new DOMParser().parseFromString(`<img xmlns='http://www.w3.org/1999/xhtml' src='${url}'/>`, 'text/xml');
    box.append(document.importNode(d.documentElement, true));
    await wait(box.lastChild, 'load');
  },
  async 'style-property'(url) {
    box.style.backgroundImage = `url(${url})`;
    await asked(url);
  },
  async 'style-set-property'(url) {
    box.style.setProperty('background-image', `url('${url}')`);
    await asked(url);
  },
  async 'style-css-text'(url) {
    box.style.cssText = `background: url("${url}")`;
    await asked(url);
  },
  async 'style-attribute'(url) {
    box.setAttribute('style', `background: url(${url})`);
    await asked(url);
  },
  async 'style-element-text'(url) {
    const s = document.createElement('style');
    s.textContent = `#box { background: url(${url}) }`;
    document.head.append(s);
    await asked(url);
  },
  async 'style-element-node'(url) {
    const s = document.createElement('style');
    s.appendChild(document.createTextNode(`#box { background: url(${url}) }`));
    document.head.append(s);
    await asked(url);
  },
  async 'style-element-html'(url) {
    const s = document.createElement('style');
    s.innerHTML = `#box { background: url(${url}) }`;
    document.head.append(s);
    await asked(url);
  },
  async 'insert-rule'(url) {
    const s = document.createElement('style');
    document.head.append(s);
    s.sheet.insertRule(`#box { background: url(${url}) }`);
    await asked(url);
  },
  async 'rule-style'(url) {
    const s = document.createElement('style');
    document.head.append(s);
    s.sheet.insertRule('#box { color: red }');
    s.sheet.cssRules[0].style.backgroundImage = `url(${url})`;
    await asked(url);
  },
  async 'adopted-sheet'(url) {
    const s = new CSSStyleSheet;
    s.replaceSync(`#box { background: url(${url}) }`);
    document.adoptedStyleSheets = [s];
    await asked(url);
  },
  async 'image-set'(url) {
    box.style.backgroundImage = `image-set('${url}' 1x)`;
    await asked(url);
  },
  async 'font-face'(url) {
    await new FontFace('f', `url(${url})`).load().catch(() => 0);
  },
  async 'stylesheet'(url) {
    const l = document.createElement('link');
    l.rel = 'stylesheet';
    l.href = url;
    document.head.append(l);
    await wait(l, 'load error');
  },
  async 'stylesheet-integrity'(url) {
    const l = document.createElement('link');
    l.rel = 'stylesheet';
    l.integrity = 'sha256-AAAA';
    l.crossOrigin = '';
    l.href = url.replace('probe', 'style.css');
    document.head.append(l);
    await wait(l, 'load');
    await fetch(url);
  },
  async 'preload'(url) {
    const l = document.createElement('link');
    l.rel = 'preload';
    l.as = 'image';
    l.href = url;
    document.head.append(l);
    await asked(url);
  },
  async 'script'(url) {
    const s = document.createElement('script');
    s.src = url.replace('probe', 'script.js');
    document.head.append(s);
    await wait(s, 'load');
    await fetch(url);
  },
  async 'module'(url) {
    const s = document.createElement('script');
    s.type = 'module';
    s.src = url.replace('probe', 'module.js');
    document.head.append(s);
    await wait(s, 'load');
    await fetch(url);
  },
  async 'audio'(url) {
    new Audio(url).load();
    await asked(url);
  },
  async 'video-poster'(url) {
    const v = document.createElement('video');
    v.poster = url;
    box.append(v);
    await asked(url);
  },
  async 'media-source'(url) {
    box.innerHTML = `<video preload=auto><source src='${url}'></video>`;
    await asked(url);
  },
  async 'track'(url) {
    box.innerHTML = `<video crossorigin preload=auto><track default kind=subtitles src='${url}'></video>`;
    box.firstChild.textTracks[0].mode = 'showing';
    await asked(url);
  },
  async 'object'(url) {
    const o = document.createElement('object');
    o.data = url;
    box.append(o);
    await asked(url);
  },
  async 'embed'(url) {
    const e = document.createElement('embed');
    e.src = url;
    box.append(e);
    await asked(url);
  },
  async 'svg-image'(url) {
    box.innerHTML = '<svg><image width=9 height=9 /></svg>';
    box.querySelector('image').setAttribute('href', url);
    await asked(url);
  },
  async 'svg-image-namespace'(url) {
    box.innerHTML = '<svg><image width=9 height=9 /></svg>';
    box.querySelector('image').setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', url);
    await asked(url);
  },
  async 'svg-base-value'(url) {
    box.innerHTML = '<svg><image width=9 height=9 href="data:," /></svg>';
    box.querySelector('image').href.baseVal = url;
    await asked(url);
  },
  async 'iframe'(url) {
    const f = document.createElement('iframe');
    f.src = url.replace('probe', 'frame.html');
    box.append(f);
    await wait(f, 'load');
    await fetch(url);
  },
  async 'iframe-html'(url) {
    box.innerHTML = `<iframe src='${url.replace('probe', 'frame.html')}'></iframe>`;
    await wait(box.firstChild, 'load');
    await fetch(url);
  },
  async 'iframe-srcdoc'(url) {
    const f = document.createElement('iframe');
    f.srcdoc = `<script>fetch('${url}')<\/script>`;
    box.append(f);
    await asked(url);
  },
  async 'iframe-srcdoc-html'(url) {
    box.innerHTML = `<iframe srcdoc="<script>fetch('${url}')</script>"></iframe>`;
    await asked(url);
  },
  async 'iframe-blob'(url) {
    const page = `<!doctype html><title>b</title><script>fetch('${url}')<\/script>`;
    const frame = document.createElement('iframe');
    frame.src = URL.createObjectURL(new Blob([page], {type: 'text/html'}));
    box.append(frame);
    await asked(url);
    if (frame.contentDocument.compatMode !== 'CSS1Compat') throw Error('in quirks mode');
  },
  async 'style-blob'(url) {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = URL.createObjectURL(new Blob([`#box { background: url(${url}) }`], {type: 'text/css'}));
    document.head.append(sheet);
    await asked(url);
  },
  async 'location-of-a-window'(url) {
    box.innerHTML = '<iframe></iframe>';
    window.inner = box.firstChild.contentWindow;
    const loaded = wait(box.firstChild, 'load');
    await run(`inner.location = '${url.replace('probe', 'frame.html')}'`);
    await loaded;
    await fetch(url);
  },
  async 'iframe-blank'(url) {
    const f = document.createElement('iframe');
    box.append(f);
    await f.contentWindow.fetch(url);
  },
  async 'iframe-blank-by-index'(url) {
    box.innerHTML = '<iframe></iframe>';
    await window[window.length - 1].fetch(url);
  },
  async 'iframe-blank-write'(url) {
    const f = document.createElement('iframe');
    box.append(f);
    f.contentDocument.open();
    f.contentDocument.write(`<img src='${url}'>`);
    f.contentDocument.close();
    await asked(url);
  },
  async 'iframe-blank-image'(url) {
    const f = document.createElement('iframe');
    box.append(f);
    new f.contentWindow.Image().src = url;
    await asked(url);
  },
  async 'worker-blob'(url) {
    new Worker(URL.createObjectURL(new Blob([`fetch('${url}')`])));
    await asked(url);
  },
  async 'worker-blob-revoked'(url) {
    const u = URL.createObjectURL(new Blob([`fetch('${url}')`]));
    new Worker(u);
    URL.revokeObjectURL(u);
    await asked(url);
  },
  async 'worker-blob-module'(url) {
    new Worker(URL.createObjectURL(new Blob([`fetch('${url}')`], {type: 'text/javascript'})), {type: 'module'});
    await asked(url);
  },
  async 'worker-import-scripts'(url) {
    const program = `importScripts('${url.replace('probe', 'script.js')}'); fetch('${url}')`;
    new Worker(URL.createObjectURL(new Blob([program])));
    await asked(url);
  },
  async 'worker'(url) {
    new Worker('/worker.js').postMessage(url);
    await asked(url);
  },
  async 'worker-absolute'(url) {
    new Worker(location.origin + '/worker.js').postMessage(url);
    await asked(url);
  },
  async 'worker-module'(url) {
    new Worker('/module_worker.js', {type: 'module'}).postMessage(url);
    await asked(url);
  },
  async 'worker-module-plain'(url) {
    new Worker('/worker.js', {type: 'module'}).postMessage(url);
    await asked(url);
  },
  async 'import-map'(url) {
    const map = document.createElement('script');
    map.type = 'importmap';
    map.textContent = JSON.stringify({imports: {thing: url.replace('probe', 'module.js')}});
    document.head.append(map);
    await run(`import('thing').then(() => fetch('${url}'))`);
    await asked(url);
  },
  async 'iframe-adjacent-by-index'(url) {
    box.insertAdjacentHTML('beforeend', '<iframe></iframe>');
    await window[window.length - 1].fetch(url);
  },
  async 'shared-worker'(url) {
    new SharedWorker('/shared_worker.js').port.postMessage(url);
    await asked(url);
  },
  async 'worker-xhr'(url) {
    const program = `const x = new XMLHttpRequest; x.open('GET', '${url}', false); x.send()`;
    new Worker(URL.createObjectURL(new Blob([program])));
    await asked(url);
  },
  async 'cache'(url) {
    const c = await caches.open('c');
    await c.add(url);
    if (!await c.match(url)) throw Error('no match');
  },
  async 'dynamic-import'(url) {
    await run(`import('${url.replace('probe', 'module.js')}' + '').then(() => fetch('${url}'))`);
    await asked(url);
  },
  async 'inline-module'(url) {
    const s = document.createElement('script');
    s.type = 'module';
    s.src = '/importing.js';
    document.head.append(s);
    await wait(s, 'load');
    await fetch(url);
  },
  async 'form'(url) {
    box.innerHTML = `<form target=f><input name=a value=b></form><iframe name=f></iframe>`;
    box.firstChild.action = url.replace('probe', 'frame.html');
    box.firstChild.submit();
    await wait(box.lastChild, 'load');
    await fetch(url);
  },
  async 'link-click'(url) {
    box.innerHTML = `<a target=g href='${url.replace('probe', 'frame.html')}'>x</a><iframe name=g></iframe>`;
    box.firstChild.click();
    await wait(box.lastChild, 'load');
    await fetch(url);
  },
  async 'meta-refresh'(url) {
    const f = document.createElement('iframe');
    f.srcdoc = `<meta http-equiv=refresh content='0; url=${url.replace('probe', 'frame.html')}'>`;
    box.append(f);
    await asked(url.replace('probe', 'frame.html'));
    await fetch(url);
  },
  async 'ping'(url) {
    box.innerHTML = `<a href='#x' ping='${url}'>x</a>`;
    box.firstChild.click();
    await asked(url);
  },
  async 'shadow-root'(url) {
    const r = box.attachShadow({mode: 'open'});
    r.innerHTML = `<img src='${url}'>`;
    await wait(r.firstChild, 'load');
  },
  async 'policy-meta'(url) {
    const m = document.createElement('meta');
    m.httpEquiv = 'Content-Security-Policy';
    m.content = "default-src 'none'";
    document.head.append(m);
    await fetch(url);
  },
  async 'replace-children'(url) {
    const i = new DOMParser().parseFromString(`<img src='${url}'>`, 'text/html').images[0];
    box.replaceChildren(i);
    await wait(i, 'load');
  },
  async 'long-host'(url) {
    await fetch(url.replace('cdn.other', 'a'.repeat(60) + '.other'));
    await fetch(url);
  },
};
