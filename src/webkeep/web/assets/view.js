// The banner follows the reader: the page in the frame says where it is, and the server how its parts fit together.
'use strict';

const frame = document.getElementById('page');
const parts = document.getElementById('parts');
const place = document.getElementById('url');

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

addEventListener('message', (event) => {
  if (event.source !== frame.contentWindow || event.data?.webkeep !== 'page') return;
  const {url, title} = event.data;
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || url === place.textContent) return;
  const stamp = parts.dataset.address.split('/')[2];
  tellPlace(url);
  document.title = `${String(title || url).slice(0, 200)} · webkeep`;
  tellParts(`/parts/${stamp}/${url}`);
});

// Focus that leaves for the page in the frame is a press beside the panel.
addEventListener('blur', closePanels);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closePanels();
});

tellParts(parts.dataset.address);
