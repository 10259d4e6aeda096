// The banner follows the reader: the page in the frame says where it is, and the server how its parts fit together.
'use strict';

const frame = document.getElementById('page');
const parts = document.getElementById('parts');
const place = document.getElementById('url');

async function tellParts(address) {
  parts.textContent = '';
  try {
    const answer = await fetch(address, {headers: {Accept: 'application/json'}});
    if (answer.ok) parts.textContent = (await answer.json()).words;
  } catch {
    parts.textContent = '';
  }
}

addEventListener('message', (event) => {
  if (event.source !== frame.contentWindow || event.data?.webkeep !== 'page') return;
  const {url, title} = event.data;
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || url === place.textContent) return;
  const stamp = parts.dataset.address.split('/')[2];
  place.textContent = url;
  place.href = `/history/${url}`;
  document.title = `${String(title || url).slice(0, 200)} · webkeep`;
  tellParts(`/parts/${stamp}/${url}`);
});

tellParts(parts.dataset.address);
