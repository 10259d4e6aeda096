// The banner follows the reader: the page in the frame says where it is, and the server how its parts fit together.
// Before it in its file stands replay/shim/source/host_names.js.

const frame = document.getElementById('page');
const parts = document.getElementById('parts');
const place = document.getElementById('url');
const moment = document.getElementById('moment');
const home = new URL(frame.dataset.place);

function sayParts(words) {
  for (const each of document.querySelectorAll('.parts')) each.textContent = each.title = words;
}

async function tellParts(address) {
  sayParts('');
  try {
    const answer = await fetch(address, {headers: {Accept: 'application/json'}});
    if (answer.ok) sayParts((await answer.json()).words);
  } catch {
    sayParts('');
  }
}

function tellPlace(url) {
  const [start, end] = place.children;
  const cut = Math.max(url.length - 18, 0);
  start.textContent = url.slice(0, cut);
  end.textContent = url.slice(cut);
  place.title = url;
  for (const each of document.querySelectorAll('.history')) each.href = `/history/${url}`;
  for (const each of document.querySelectorAll('.original')) each.href = url;
}

function closePanels() {
  for (const each of document.querySelectorAll('details[open]')) each.open = false;
}

const stampOf = (host) => host.slice(0, 14);
const baseOf = (host) => host.slice(host.indexOf('.'));

// What a browser says of who sent a message tells which archived origin that is, and as of when; null for any other.
function shownAt(origin) {
  const {protocol, host} = new URL(origin);
  const match = LABEL.exec(host.slice(0, host.indexOf('.')));
  if (!match || protocol !== home.protocol || baseOf(host) !== baseOf(home.host)) return null;
  const stamp = stampOf(host);
  if (host === home.host) return {stamp, origin: frame.dataset.origin};
  const archived = originOf(match);
  return archived ? {stamp, origin: archived} : null;
}

function tellMoment(stamp) {
  if (stamp === stampOf(home.host)) return;
  const [year, month, day, hour, minute, second] = stamp.match(/^\d{4}|\d\d/g);
  moment.textContent = `${year}-${month}-${day} ${hour}:${minute}:${second} UTC`;
}

addEventListener('message', (event) => {
  if (event.source !== frame.contentWindow || event.data?.webkeep !== 'page') return;
  const {url, title} = event.data;
  const shown = event.origin.includes('//') ? shownAt(event.origin) : null;
  // A page has a word in which of its own addresses it is at, as every page has, and in no other's.
  if (!shown || typeof url !== 'string' || !URL.canParse(url)) return;
  const {protocol, host, href} = new URL(url);
  if (`${protocol}//${host}` !== shown.origin || href === place.title) return;
  tellPlace(href);
  tellMoment(shown.stamp);
  document.title = `${String(title || href).slice(0, 200)} · webkeep`;
  tellParts(`/parts/${shown.stamp}/${href}`);
});

function showPart() {
  frame.src = frame.dataset.place.split('#')[0] + (location.hash || home.hash);
}

// Focus that leaves for the page in the frame is a press beside the panel.
addEventListener('blur', closePanels);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closePanels();
});
addEventListener('hashchange', showPart);

showPart();
tellParts(parts.dataset.address);
