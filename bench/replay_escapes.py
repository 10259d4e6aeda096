"""More ways to the network, for those who know the locks: by frames, workers, worklets, windows, documents that are
written, addresses that hold their own content, redirections, downloads, speculation, and what browsers fetch by
themselves. `H` stands for a way's host, `PORT` for the canary's port.
"""

from __future__ import annotations

_FRAME = "const f = document.createElement('iframe');"
_ADD = "(document.body || document.documentElement).append(f)"
_ASK = "fetch('http://H/', {mode: 'no-cors'})"
_EMPTY = f"{_FRAME} {_ADD}; const w = window[window.length - 1];"
_BLOB = "const blob = (text, type) => URL.createObjectURL(new Blob([text], {type}));"
_LINK = "const l = document.createElement('link'); l.href = 'http://H/'; document.documentElement.append(l);"
_SVG = 'xmlns="http://www.w3.org/2000/svg"'


def _script(code: str) -> str:
    return (
        f"'<script>{code}</' + 'script>'".replace("'http", "\\'http")
        .replace("H/'", "H/\\'")
        .replace("'no-cors'", "\\'no-cors\\'")
    )


FRAMES = {
    "nested empty frames": f"{_EMPTY} w.document.body.append(w.document.createElement('iframe'));"
    "const v = w[0]; v.document.body.append(v.document.createElement('iframe'));"
    " v[0].fetch('http://H/', {mode: 'no-cors'})",
    "srcdoc script": f"{_FRAME} f.srcdoc = {_script(_ASK)}; {_ADD}",
    "srcdoc in a sandbox": f"{_FRAME} f.sandbox = 'allow-scripts'; f.srcdoc = {_script(_ASK)}; {_ADD}",
    "srcdoc location": f"{_FRAME} f.srcdoc = " + _script("location.href = 'http://H/'") + f"; {_ADD}",
    "srcdoc refresh": f"{_FRAME} f.srcdoc = '<meta http-equiv=refresh content=\"0; url=http://H/\">'; {_ADD}",
    "data script": f"{_FRAME} f.src = 'data:text/html,' + encodeURIComponent({_script(_ASK)}); {_ADD}",
    "data in a sandbox": f"{_FRAME} f.sandbox = 'allow-scripts'; "
    f"f.src = 'data:text/html,' + encodeURIComponent({_script(_ASK)}); {_ADD}",
    "blob script": f"{_BLOB} {_FRAME} f.src = blob({_script(_ASK)}, 'text/html'); {_ADD}",
    "blob location": f"{_BLOB} {_FRAME} f.src = blob("
    + _script("location.href = 'http://H/'")
    + f", 'text/html'); {_ADD}",
    "script address": f"{_FRAME} f.src = \"javascript:fetch('http://H/', {{mode: 'no-cors'}})\"; {_ADD}",
    "policy attribute": f"{_FRAME} f.csp = 'default-src *'; f.srcdoc = '<img src=http://H/>'; {_ADD}",
    "frame without credentials": f"{_FRAME} f.credentialless = true; f.src = 'http://H/'; {_ADD}",
    "lazy frame": f"{_FRAME} f.loading = 'lazy'; f.src = 'http://H/'; {_ADD}",
    "fenced frame": "const f = document.createElement('fencedframe');"
    f"f.config = new FencedFrameConfig('https://H:PORT/'); {_ADD}",
    "frame by name": f"{_FRAME} f.name = 'target' + Math.random(); {_ADD}; open('http://H/', f.name)",
    "object with a page": f"{_BLOB} const f = document.createElement('object'); f.type = 'text/html';"
    f"f.data = blob({_script(_ASK)}, 'text/html'); {_ADD}",
    "embedded page": "const f = document.createElement('embed'); f.type = 'text/html';"
    f"f.src = 'data:text/html,' + encodeURIComponent({_script(_ASK)}); {_ADD}",
    "frame that leaves": f"{_EMPTY} w.addEventListener('pagehide', () => w.navigator.sendBeacon('http://H/', 'x'));"
    "setTimeout(() => f.remove(), 50)",
    "frame that went": f"{_EMPTY} const ask = w.fetch; f.remove(); ask.call(window, 'http://H/', {{mode: 'no-cors'}})",
}
WORKERS = {
    "module worker": f"{_BLOB} new Worker(blob(\"import('http://H/')\", 'text/javascript'), {{type: 'module'}})",
    "worker that imports data": f"{_BLOB} new Worker(blob('importScripts(\"data:text/javascript,' +"
    f" encodeURIComponent(\"{_ASK}\") + '\")', 'text/javascript'))",
    "worker of a worker": f"{_BLOB} const inner = \"{_ASK}\"; new Worker(blob('new Worker(URL.createObjectURL('"
    " + 'new Blob([' + JSON.stringify(inner) + '])))', 'text/javascript'))",
    "worker xhr": f"{_BLOB} new Worker(blob(\"const x = new XMLHttpRequest; x.open('GET', 'http://H/'); x.send()\"))",
    "worker events": f"{_BLOB} new Worker(blob(\"new EventSource('http://H/')\"))",
    "worker transport": f"{_BLOB} new Worker(blob(\"new WebTransport('https://H:PORT/')\"))",
    "shared worker blob": f"{_BLOB} new SharedWorker(blob(\"{_ASK}\", 'text/javascript'))",
    "worker of a data frame": f"{_FRAME} f.src = 'data:text/html,' + encodeURIComponent('<script>new Worker(`data:text/"
    f"javascript,' + encodeURIComponent(\"{_ASK}\") + '`)</' + 'script>'); {_ADD}",
    "audio worklet": "new AudioContext().audioWorklet.addModule('http://H/').catch(() => 0)",
    "audio worklet that imports": f"{_BLOB} new AudioContext().audioWorklet.addModule(blob(\"import 'http://H/'\","
    " 'text/javascript')).catch(() => 0)",
    "paint worklet": "CSS.paintWorklet.addModule('http://H/').catch(() => 0)",
    "storage worklet": "sharedStorage.createWorklet('https://H:PORT/').catch(() => 0)",
}
WINDOWS = {
    "window that is empty": "const w = open('about:blank'); w.fetch('http://H/', {mode: 'no-cors'})",
    "window that is written": "const w = open(''); w.document.write('<img src=http://H/>'); w.document.close()",
    "window that goes": "const w = open('about:blank'); setTimeout(() => { w.location = 'http://H/' }, 50)",
    "window of a blob": f"{_BLOB} open(blob({_script(_ASK)}, 'text/html'))",
    "window of a script": "open(\"javascript:fetch('http://H/', {mode: 'no-cors'})\")",
    "window without opener": "open('http://H/', '', 'noopener')",
    "window of a frame": f"{_EMPTY} w.open('http://H/')",
    "window of a sandbox": f"{_FRAME} f.sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';"
    "f.srcdoc = " + _script("open('http://H/')") + f"; {_ADD}",
}
DOCUMENTS = {
    "document in a frame": f"{_EMPTY} const d = w.document.open(); d.write('<img src=http://H/>'); d.close()",
    "document with a base": f"{_EMPTY} w.document.write('<base href=http://H/><img src=x>')",
    "parsed and adopted": "const d = new DOMParser().parseFromString('<img src=http://H/>', 'text/html');"
    "document.documentElement.append(document.adoptNode(d.querySelector('img')))",
    "shadow of a host": "const h = document.createElement('div'); document.documentElement.append(h);"
    "h.attachShadow({mode: 'closed'}).innerHTML = '<style>@import \"http://H/\";</style><img src=http://H/>'",
    "transformed": 'const t = new DOMParser().parseFromString(\'<x:stylesheet version="1.0"'
    ' xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:import href="http://H/"/><x:template match="/"><i/>'
    "</x:template></x:stylesheet>', 'text/xml'); const p = new XSLTProcessor; p.importStylesheet(t);"
    "p.transformToDocument(document)",
    "styled document": f"{_BLOB} {_FRAME} f.src = blob('<?xml-stylesheet href=\"http://H/\"?><a/>', 'text/xml');{_ADD}",
    "entities": f"{_BLOB} {_FRAME} f.src = blob('<!DOCTYPE a SYSTEM \"http://H/\"><a/>', 'text/xml'); {_ADD}",
    "picture with a script": f"{_BLOB} {_FRAME} f.src = blob('<svg {_SVG}><script href=\"http://H/\"/></svg>',"
    f" 'image/svg+xml'); {_ADD}",
    "picture in a picture": f"new Image().src = 'data:image/svg+xml,' + encodeURIComponent('<svg {_SVG} width=\"9\""
    ' height="9"><image href="http://H/" width="9" height="9"/></svg>\')',
    "use": "document.documentElement.insertAdjacentHTML('beforeend', '<svg><use href=http://H/#x /></svg>')",
    "sheet of a blob": f"{_BLOB} {_LINK} l.href = blob('@import \"http://H/\";', 'text/css'); l.rel = 'stylesheet'",
    "mask and pointer": "const s = document.createElement('style'); s.textContent = 'html { cursor: url(http://H/),"
    " auto; mask: url(http://H/#m); list-style: url(http://H/); filter: url(http://H/#f) } html::before { content:"
    ' image-set("http://H/" 1x) }\'; document.documentElement.append(s)',
    "playlist": f"{_BLOB} const v = document.createElement('video'); v.muted = v.autoplay = true; v.src = blob("
    "'#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\nhttp://H/a.ts\\n', 'application/vnd.apple.mpegurl');"
    "document.documentElement.append(v)",
    "map of imports": "const m = document.createElement('script'); m.type = 'importmap';"
    'm.textContent = \'{"imports": {"way": "http://H/"}}\'; document.documentElement.append(m);'
    "const s = document.createElement('script'); s.type = 'module'; s.textContent = 'import \"way\"';"
    "document.documentElement.append(s)",
    "import of data": 'new Function(\'return import("http://H/", {with: {type: "json"}})\')().catch(() => 0)',
}
SENT = {
    "sent on by the server": "fetch('/.webkeep/to/http/H/x', {mode: 'no-cors'})",
    "redirected frame": f"{_FRAME} f.src = '/status/302'; f.onload = () => {{ try {{ f.contentWindow.location = 'http://H/'"
    f" }} catch {{}} }}; {_ADD}",
    "posted form": f"{_FRAME} f.name = 'form' + Math.random(); {_ADD}; const g = document.createElement('form');"
    "g.method = 'post'; g.action = 'http://H/'; g.target = f.name; document.documentElement.append(g); g.submit()",
    "formaction": f"{_FRAME} f.name = 'button' + Math.random(); {_ADD}; const g = document.createElement('form');"
    "g.target = f.name; const b = document.createElement('button'); b.formAction = 'http://H/'; g.append(b);"
    "document.documentElement.append(g); g.requestSubmit(b)",
    "download in a frame": f"{_EMPTY} const a = w.document.createElement('a'); a.href = 'http://H/'; a.download = 'x';"
    "w.document.body.append(a); a.click()",
    "blob download": f"{_BLOB} {_FRAME} f.src = blob('<a id=a download href=http://H/>x</a><script>a.click()</' +"
    f" 'script>', 'text/html'); {_ADD}",
    "link with a source": "const i = new Image; i.attributionSrc = 'http://H/'; i.src = '/type/0'",
    "later": "fetchLater('https://H:PORT/', {activateAfter: 0})",
    "socket stream": "new WebSocketStream('wss://H:PORT/').opened.catch(() => 0)",
    "socket of a frame": f"{_EMPTY} new w.WebSocket('ws://H/')",
    "calls of a frame": f"{_EMPTY} const p = new w.RTCPeerConnection({{iceServers: [{{urls:"
    " 'stun:127.0.0.1:PORT'}]}); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))",
}
AHEAD = {
    "prerendering": "const s = document.createElement('script'); s.type = 'speculationrules'; s.textContent ="
    ' \'{"prerender": [{"source": "list", "urls": ["http://H/"], "eagerness": "immediate"}]}\';'
    "document.documentElement.append(s)",
    "rules about links": "const a = document.createElement('a'); a.href = 'http://H/'; a.textContent = 'x';"
    "document.documentElement.append(a); const s = document.createElement('script'); s.type = 'speculationrules';"
    's.textContent = \'{"prefetch": [{"source": "document", "where": {"href_matches": "http://*/*"}, "eagerness":'
    ' "immediate"}]}\'; document.documentElement.append(s)',
    "rules in a frame": f"{_EMPTY} const s = w.document.createElement('script'); s.type = 'speculationrules';"
    's.textContent = \'{"prefetch": [{"urls": ["http://H/"], "eagerness": "immediate"}]}\'; w.document.body.append(s)',
    "rules by address": f"{_BLOB} const s = document.createElement('script'); s.type = 'speculationrules';"
    "s.src = 'http://H/'; document.documentElement.append(s)",
    "link prerender": f"{_LINK} l.rel = 'prerender'",
    "link to a name": f"{_LINK} l.rel = 'dns-prefetch'",
    "link to a module": f"{_LINK} l.rel = 'modulepreload'",
    "link to a dictionary": f"{_LINK} l.rel = 'compression-dictionary'",
    "links of a frame that is replaced": f"{_EMPTY} const ask = () => {{ try {{"
    "const l = w.document.createElement('link'); l.rel = 'preconnect'; l.href = 'http://H/';"
    "w.document.documentElement.append(l) } catch {} }; w.addEventListener('pagehide', ask);"
    "f.src = 'http://blocked.test/'; ask(); setTimeout(ask, 1); setTimeout(ask, 5)",
    "link in a frame": f"{_EMPTY} w.document.head.innerHTML = '<link rel=preconnect href=http://H/>'",
}
BY_ITSELF = {
    "payment": "new PaymentRequest([{supportedMethods: 'https://H:PORT/pay'}], {total: {label: 'x', amount:"
    " {currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => 0)",
    "identity": "navigator.credentials.get({identity: {providers: [{configURL: 'https://H:PORT/fedcm.json',"
    " clientId: '1'}]}}).catch(() => 0)",
    "key of a relation": "navigator.credentials.get({publicKey: {rpId: 'H', challenge: new Uint8Array(16)}})"
    ".catch(() => 0)",
    "background": "navigator.serviceWorker.getRegistration().then((r) => r?.backgroundFetch?.fetch('x', ['http://H/']))"
    ".catch(() => 0)",
    "interest group": "navigator.joinAdInterestGroup({owner: 'https://H:PORT', name: 'x', biddingLogicURL:"
    " 'https://H:PORT/x'}, 60).catch(() => 0)",
}
NAVIGATIONS = {
    "navigation": "navigation.navigate('http://H/')",
    "replaced location": "location.replace('http://H/')",
    "refresh by script": "const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0; url=http://H/';"
    "document.documentElement.append(m)",
    "document that is opened": f"document.open(); document.write({_script(_ASK)}); document.close()",
    "frames that are written": "document.open(); document.write('<frameset><frame src=http://H/></frameset>');"
    "document.close()",
}
"""Those that leave nothing of the page they run in."""

ESCAPES = {**FRAMES, **WORKERS, **WINDOWS, **DOCUMENTS, **SENT, **AHEAD, **BY_ITSELF, **NAVIGATIONS}
