// What every page of these sites uses to prove that what it wanted has come.

// What has not come yet, for whoever asks why a page is not done.
let awaited = new Set();

// Shows what came of each promise, in order. When all have come the page is done; when one fails it says so.
async function show(promises) {
  const list = document.body.appendChild(document.createElement('ul'));
  const line = (text) => { list.appendChild(document.createElement('li')).textContent = text; };
  const names = Object.keys(promises);
  awaited = new Set(names);
  names.forEach((name) => Promise.resolve(promises[name]).then(() => awaited.delete(name), () => awaited.delete(name)));
  const results = await Promise.allSettled(Object.values(promises));
  results.forEach((result, at) => line(`${names[at]}: ${result.status === 'fulfilled' ? result.value : `FAILED ${result.reason}`}`));
  const failed = names.filter((_, at) => results[at].status !== 'fulfilled');
  document.documentElement.dataset.done = failed.length ? `failed: ${failed}` : 'yes';
}

const found = (what) => (typeof what === 'string' ? document.querySelector(what) : what);

// What has loaded, or failed to, before anybody asked: not every element can say so itself.
const early = new WeakSet();
const earlyFailures = new WeakSet();
document.addEventListener('load', (event) => early.add(event.target), true);
document.addEventListener('error', (event) => earlyFailures.add(event.target), true);

// An element that has loaded; of a picture, its size.
function loaded(what) {
  const element = found(what);
  const told = () => ('naturalWidth' in element ? `${element.naturalWidth}×${element.naturalHeight}` : 'loaded');
  // Chromium loses the load event of a picture in a drawing that comes while the drawing is still being read.
  if (element instanceof SVGImageElement) return element.decode().then(told, () => Promise.reject(`${element.localName} did not load`));
  if (early.has(element) || (element.complete && element.naturalWidth)) return Promise.resolve(told());
  if (earlyFailures.has(element)) return Promise.reject(`${element.localName} did not load`);
  return new Promise((yes, no) => {
    element.addEventListener('load', () => yes(told()));
    element.addEventListener('error', () => no(`${element.localName} did not load`));
  });
}

// The first event of a name at a target.
const event = (target, name) => new Promise((yes) => found(target).addEventListener(name, yes, {once: true}));

// That something was fetched whose address has this in it, whoever asked for it.
function fetched(part) {
  return new Promise((yes) => {
    new PerformanceObserver((list, observer) => {
      if (list.getEntries().some((entry) => entry.name.includes(part))) {
        observer.disconnect();
        yes('fetched');
      }
    }).observe({type: 'resource', buffered: true});
  });
}

// A computed property once the page has loaded.
const page = new Promise((yes) => { if (document.readyState === 'complete') yes(); else addEventListener('load', () => yes()); });
const styled = (selector, property, pseudo) => page.then(() => getComputedStyle(found(selector), pseudo)[property]);

const text = (url, options) => fetch(url, options).then((answer) => answer.text());
