"""A page that uses what browsers have: workers, streams, WebSockets, media, prefetch. It says when it is done."""

import struct

SCRIPT = b"""
const done = [];
const finished = (name) => { done.push(name); if (done.length === WANTED) fetch('finished?' + done.sort().join(',')); };
WebSocket && (() => {
  const socket = new WebSocket(location.href.replace(/^http/, 'ws').replace(/[^/]*$/, 'socket'));
  socket.onopen = () => socket.send('hello');
  socket.onmessage = (event) => { if (event.data === 'HELLO') { socket.close(); finished('socket'); } };
})();
const events = new EventSource('events');
events.onmessage = (event) => { events.close(); finished('events'); };
fetch('data.json').then(answer => answer.json()).then(() => finished('fetch'));
const upload = {method: 'POST', body: 'u'.repeat(100000)};
fetch('upload', upload).then(answer => answer.text()).then(() => finished('upload'));
fetch('file', {headers: {Range: 'bytes=100-199'}}).then(answer => answer.arrayBuffer()).then(() => finished('range'));
new Worker('worker.js').onmessage = () => finished('worker');
const image = new Image(); image.onload = () => finished('image'); image.src = 'image.svg';
const sound = new Audio('sound.wav'); sound.preload = 'auto';
sound.onloadedmetadata = () => finished('sound'); sound.load();
if (navigator.serviceWorker) {
  navigator.serviceWorker.register('service.js');
  navigator.serviceWorker.ready.then(() => finished('service'));
} else finished('service');
"""

WORKER = b"fetch('data.json?worker').then(answer => answer.json()).then(() => postMessage('ready'));"
SERVICE = b"""
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open('v1').then(cache => cache.addAll(['data.json?service', 'style.css?service'])));
});
"""
PAGE = b"""<!doctype html><meta charset=utf-8><title>A living page</title>
<link rel=stylesheet href=style.css><link rel=prefetch href=next.html>
<p>hello<iframe src=frame.html></iframe><script src=script.js></script>"""


def _wave() -> bytes:
    samples = bytes(8000)
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + 8000, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 8000
    )
    return head + samples


JSON, SCRIPT_TYPE = b"application/json", b"text/javascript"
PAGES = {
    "living.html": (b"text/html", PAGE),
    "frame.html": (b"text/html", b"<!doctype html><title>A frame</title>framed"),
    "next.html": (b"text/html", b"<!doctype html><title>The next page</title>next"),
    "style.css": (b"text/css", b"p { color: green; background: url(image.svg?style) }"),
    "image.svg": (b"image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    "sound.wav": (b"audio/wav", _wave()),
    "data.json": (JSON, b'{"town": "Lindau"}'),
    "script.js": (SCRIPT_TYPE, SCRIPT.replace(b"WANTED", b"9")),
    "worker.js": (SCRIPT_TYPE, WORKER),
    "service.js": (SCRIPT_TYPE, SERVICE),
    "finished": (b"text/plain", b"thanks"),
    "favicon.ico": (b"image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
}
USED = "events,fetch,image,range,service,socket,sound,upload,worker"
