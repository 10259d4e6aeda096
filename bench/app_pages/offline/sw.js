importScripts('workbox/workbox-sw.js');
workbox.setConfig({debug: false, modulePathPrefix: 'workbox/'});
const {precaching, routing, strategies, core} = workbox;
core.skipWaiting();
core.clientsClaim();
precaching.precacheAndRoute([{url: 'log.html', revision: '1'}, {url: 'forecast/tomorrow.json', revision: '1'}]);
routing.registerRoute(({url}) => url.pathname.endsWith('/made/up.txt'), () => new Response('Made up by the worker'));
routing.registerRoute(({request}) => request.destination === 'image', new strategies.CacheFirst());
