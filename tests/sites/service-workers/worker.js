importScripts('/rules.js');
addEventListener('install', (it) => it.waitUntil(caches.open('v1').then((cache) => cache.addAll(kept)).then(() => skipWaiting())));
addEventListener('activate', (it) => it.waitUntil(clients.claim()));
addEventListener('fetch', (it) => {
  if (it.request.url.endsWith('/made-up')) it.respondWith(new Response('made up by the worker'));
  else it.respondWith(caches.match(it.request).then((known) => known || fetch(it.request)));
});
