"""Ways in which a page can reach the network: each a page of its own, that tries one of them on a host of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bench.replay_escapes import ESCAPES, NAVIGATIONS

_SCRIPTS = {
    "fetch": "fetch('http://H/')",
    "fetch no-cors": "fetch('http://H/', {mode: 'no-cors'})",
    "fetch keepalive": "fetch('http://H/', {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'})",
    "fetch from a fresh frame": "const f = document.body.appendChild(document.createElement('iframe'));"
    "f.contentWindow.fetch('http://H/', {mode: 'no-cors'})",
    "xhr": "const x = new XMLHttpRequest; x.open('GET', 'http://H/'); x.send()",
    "xhr sync": "const x = new XMLHttpRequest; x.open('GET', 'http://H/', false); try { x.send() } catch {}",
    "beacon": "navigator.sendBeacon('http://H/', 'x')",
    "event source": "new EventSource('http://H/')",
    "websocket": "new WebSocket('ws://H/')",
    "websocket secure": "new WebSocket('wss://H/')",
    "webtransport": "new WebTransport('https://H:PORT/')",
    "webrtc stun": "const p = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:PORT'}]}); "
    "p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))",
    "webrtc turn": "const p = new RTCPeerConnection({iceServers: [{urls: 'turn:127.0.0.1:PORT?transport=tcp',"
    "username: 'a', credential: 'b'}]}); p.createDataChannel('x');"
    "p.createOffer().then((o) => p.setLocalDescription(o))",
    "image": "new Image().src = 'http://H/'",
    "image by attribute node": "const a = document.createAttribute('src'); a.value = 'http://H/';"
    "const i = new Image; i.setAttributeNode(a); document.body.append(i)",
    "audio": "new Audio('http://H/').play().catch(() => 0)",
    "video poster": "const v = document.createElement('video'); v.poster = 'http://H/'; document.body.append(v)",
    "font face": "const f = new FontFace('x', 'url(http://H/)'); f.load().catch(() => 0)",
    "style text": "const s = document.createElement('style'); s.textContent = 'body { background: url(http://H/) }';"
    "document.head.append(s)",
    "style rule": "const s = new CSSStyleSheet; s.replaceSync('body { background: url(http://H/) }');"
    "document.adoptedStyleSheets = [s]",
    "style escaped": r"document.body.style.cssText = 'background: u\\72l(http://H/)'",
    "script element": "const s = document.createElement('script'); s.src = 'http://H/'; document.body.append(s)",
    "dynamic import": "import('http://H/').catch(() => 0)",
    "computed import": "new Function('u', 'return import(u)')('http://' + 'H/').catch(() => 0)",
    "worker fetch": "new Worker(URL.createObjectURL(new Blob([\"fetch('http://H/', {mode: 'no-cors'})\"])))",
    "worker import": "new Worker(URL.createObjectURL(new Blob([\"importScripts('http://H/')\"])))",
    "worker websocket": "new Worker(URL.createObjectURL(new Blob([\"new WebSocket('ws://H/')\"])))",
    "worker data": "new Worker('data:text/javascript,' +encodeURIComponent(\"fetch('http://H/', {mode: 'no-cors'})\"))",
    "shared worker": "new SharedWorker('data:text/javascript,' + encodeURIComponent(\"fetch('http://H/')\"))",
    "frame": "const f = document.createElement('iframe'); f.src = 'http://H/'; document.body.append(f)",
    "frame srcdoc": "const f = document.createElement('iframe'); f.srcdoc = '<img src=http://H/>';"
    "document.body.append(f)",
    "frame data": "const f = document.createElement('iframe'); f.src = 'data:text/html,<img src=http://H/>';"
    "document.body.append(f)",
    "frame blob": "const f = document.createElement('iframe');"
    "f.src = URL.createObjectURL(new Blob(['<img src=http://H/>'], {type: 'text/html'})); document.body.append(f)",
    "frame script": "const f = document.createElement('iframe'); f.src = \"javascript:'<img src=http://H/>'\";"
    "document.body.append(f)",
    "object": "const o = document.createElement('object'); o.data = 'http://H/'; document.body.append(o)",
    "embed": "const o = document.createElement('embed'); o.src = 'http://H/'; document.body.append(o)",
    "location": "setTimeout(() => { location = 'http://H/' }, 50)",
    "location of a frame": "const f = document.body.appendChild(document.createElement('iframe'));"
    "setTimeout(() => { f.contentWindow.location = 'http://H/' }, 50)",
    "window open": "open('http://H/')",
    "anchor click": "const a = document.createElement('a'); a.href = 'http://H/'; document.body.append(a); a.click()",
    "anchor blank": "const a = document.createElement('a'); a.href = 'http://H/'; a.target = '_blank';"
    "document.body.append(a); a.click()",
    "anchor ping": "const a = document.createElement('a'); a.href = '#x'; a.ping = 'http://H/';"
    "document.body.append(a); a.click()",
    "anchor download": "const a = document.createElement('a'); a.href = 'http://H/'; a.download = ''; a.click()",
    "form": "const f = document.createElement('form'); f.action = 'http://H/'; document.body.append(f); f.submit()",
    "form get blank": "const f = document.createElement('form'); f.action = 'http://H/'; f.target = '_blank';"
    "document.body.append(f); f.submit()",
    "history": "try { history.pushState(null, '', 'http://H/') } catch { location.replace('http://H/') }",
    "document write": "document.write('<img src=http://H/>')",
    "inner html": "document.body.innerHTML = '<img src=http:\\\\\\\\H/>'",
    "xml document": 'const x = \'<img xmlns="http://www.w3.org/1999/xhtml" src="http://H/"/>\';'
    "const d = new DOMParser().parseFromString(x, 'text/xml');"
    "document.body.append(document.adoptNode(d.documentElement))",
    "svg image": "document.body.insertAdjacentHTML('beforeend','<svg><image href=http://H/ width=9 height=9 /></svg>')",
    "svg filter": "document.body.insertAdjacentHTML('beforeend', '<svg><filter id=f><feImage href=http://H/ /></filter>"
    "<rect width=9 height=9 filter=url(#f) /></svg>')",
    "preconnect by script": "const l = document.createElement('link'); l.rel = 'preconnect'; l.href = 'http://H/';"
    "document.head.append(l)",
    "prefetch by script": "const l = document.createElement('link'); l.rel = 'prefetch'; l.href = 'http://H/';"
    "document.head.append(l)",
    "speculation by script": "const s = document.createElement('script'); s.type = 'speculationrules';"
    's.textContent = \'{"prefetch": [{"source": "list", "urls": ["http://H/"], "eagerness": "immediate"}]}\';'
    "document.head.append(s)",
    "policy report": "const m = document.createElement('meta'); m.httpEquiv = 'Content-Security-Policy';"
    "m.content = \"img-src 'none'; report-uri http://H/\"; document.head.append(m); new Image().src = '/x'",
    "service worker": "navigator.serviceWorker.register('/sw.js').catch(() => 0)",
}
_MARKUP = {
    "img": "<img src=http://H/>",
    "img srcset": "<img srcset='http://H/ 1x'>",
    "link stylesheet": "<link rel=stylesheet href=http://H/>",
    "link preconnect": "<link rel=preconnect href=http://H/>",
    "link dns-prefetch": "<link rel=dns-prefetch href=//H>",
    "link prefetch": "<link rel=prefetch href=http://H/>",
    "link preload": "<link rel=preload as=image href=http://H/>",
    "link modulepreload": "<link rel=modulepreload href=http://H/>",
    "link icon": "<link rel=icon href=http://H/>",
    "link manifest": "<link rel=manifest href=http://H/>",
    "style import": "<style>@import 'http://H/';</style>",
    "style font": "<style>@font-face { font-family: x; src: url(http://H/) } body { font-family: x }</style>x",
    "script": "<script src=http://H/></script>",
    "module": "<script type=module>import 'http://H/';</script>",
    "import map": '<script type=importmap>{"imports": {"x": "http://H/"}}</script>'
    '<script type=module>import "x";</script>',
    "speculation rules": "<script type=speculationrules>"
    '{"prefetch": [{"source": "list", "urls": ["http://H/"]}]}</script>',
    "iframe": "<iframe src=http://H/></iframe>",
    "iframe srcdoc": '<iframe srcdoc="<iframe src=http://H/></iframe>"></iframe>',
    "object data": "<object data=http://H/></object>",
    "video": "<video src=http://H/ autoplay muted></video>",
    "track": "<video src=/x><track default src=http://H/></video>",
    "refresh": '<meta http-equiv=refresh content="0; url=http://H/">',
    "base": "<base href=http://H/><img src=relative.png>",
    "body background": "<body background=http://H/>",
    "input image": "<input type=image src=http://H/>",
    "comment trick": "<!--><img src=http://H/>-->",
    "noscript trick": "<noscript><p title='</noscript><img src=http://H/>'></noscript>",
}


_LEAVING = frozenset({"location", "anchor click", "form", "history", "document write", *NAVIGATIONS})
"""Ways that leave nothing of the page they run in."""


_ALONE = frozenset({"webrtc stun", "webrtc turn", "calls of a frame"})
"""Ways whose browser comes to a standstill where the locks are in their way."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way, as a page of its own and as a script that a page runs in a window it got hold of."""

    name: str
    script: str
    page: str
    leaves: bool
    """Whether nothing of the window is left for others."""
    is_alone: bool = False
    """Whether it is tried in a tab of its own, and nowhere else."""


def ways() -> list[Way]:
    """All ways; `H` stands for the host of each, `PORT` for the canary's port."""
    scripts = {**_SCRIPTS, **ESCAPES}
    by_script = [
        Way(
            name,
            code,
            f"<!doctype html><title>x</title><body><script>{code}</script>",
            name in _LEAVING,
            name in _ALONE,
        )
        for name, code in scripts.items()
    ]
    by_markup = [
        Way(name, f"document.write({json.dumps(markup)})", f"<!doctype html><title>x</title>{markup}", leaves=True)
        for name, markup in _MARKUP.items()
    ]
    return by_script + by_markup
