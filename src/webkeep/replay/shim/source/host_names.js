// Replay hosts: which archived origin a host name stands for. The shim and the banner both read them. See ../README.md.

const SCHEMES = {h: 'http:', s: 'https:', f: 'ftp:'};
const LABEL = /^(\d{14}c?(?:w\d{1,5})?)([hsf])([1-9]\d{0,4})?([xz]?)-([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

// The archived origin that a label stands for; nothing where only the page itself knows it.
function originOf(match) {
  if (!match || match[4] === 'z') return '';
  const host = match[4] ? unbase32(match[5]) :
    match[5].replace(/-+/g, (run) => run.length === 1 ? '.' : '-'.repeat(run.length / 2));
  return `${SCHEMES[match[2]]}//${host}${match[3] ? ':' + match[3] : ''}`;
}

function unbase32(text) {
  let bits = 0, count = 0;
  const bytes = [];
  for (const sign of text) {
    bits = (bits << 5 | ALPHABET.indexOf(sign)) & 4095;
    if ((count += 5) >= 8) bytes.push(bits >> (count -= 8) & 255);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
