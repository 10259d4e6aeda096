// Addresses: where an archived URL is replayed, and which archived URL a replayed one stands for. See ../README.md.

const LETTERS = {'http:': 'h', 'https:': 's', 'ftp:': 'f', 'ws:': 'h', 'wss:': 's'};
const PLAIN_HOST = /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/;
const NAMES_HOST = /^[\0- ]*(?:(?:https?|ftp|wss?):|[/\\]{2})/i;
const LOOKED_AT = 64;
const LONGEST_LABEL = 63;
const URL = self.URL;

class Addresses {
  // `here` is any URL on the replay host of the page; `origin` its archived origin, where the label does not tell it.
  constructor(here, origin) {
    const url = new URL(here.replace(/^blob:/, ''));
    const dot = url.host.indexOf('.');
    const label = LABEL.exec(url.host.slice(0, dot));
    this.scheme = url.protocol;
    this.base = url.host.slice(dot + 1);
    this.origin = url.origin;
    this.options = label[1];
    this.home = origin || originOf(label);
    this.homeUrl = new URL(this.home + '/');
    this.known = new Map([[url.host.slice(0, dot), this.home]]);
    const base = this.base.replace(/[.\\^$*+?()[\]{}|]/g, '\\$&');
    this.replayUrl = new RegExp('^(?:https?:|wss?:)?//([a-z0-9-]+)\\.' + base + '(?=[/?#]|$)', 'i');
    this.everyReplayUrl = new RegExp('(?:https?:)?//(\\d{14}[a-z0-9-]+)\\.' + base, 'gi');
  }

  // The address at which to ask for a URL; what names no host, or is replayed already, stays as it is.
  replayed(value) {
    const text = typeof value === 'string' ? value : String(value);
    if (!namesHost(text)) return text;
    let url;
    try {
      url = new URL(text, this.home);
    } catch {
      return text;
    }
    if (!(url.protocol in LETTERS) || !url.host) return text;
    const rest = url.pathname + url.search + url.hash;
    if (this.isReplayHost(url.host)) return `${this.scheme}//${url.host}${rest}`;
    return this.prefix(url) + rest;
  }

  prefix(url) {
    const label = this.label(url);
    if (label.length <= LONGEST_LABEL) return `${this.scheme}//${label}.${this.base}`;
    return `${this.origin}/.webkeep/to/${SCHEMES[LETTERS[url.protocol]].slice(0, -1)}/${url.host}`;
  }

  label(url) {
    const start = this.options + LETTERS[url.protocol] + url.port;
    if (!PLAIN_HOST.test(url.hostname)) return `${start}x-${base32(url.hostname)}`;
    return `${start}-${url.hostname.replace(/-/g, '--').replace(/\./g, '-')}`;
  }

  isReplayHost(host) {
    return host.endsWith('.' + this.base) && LABEL.test(host.slice(0, -this.base.length - 1));
  }

  // The archived URL that a replayed address stands for; anything else stays as it is.
  archived(text) {
    if (typeof text !== 'string' || !text.includes(this.base)) return text;
    const match = this.replayUrl.exec(text);
    const origin = match && this.originOf(match[1]);
    if (!origin) return text;
    const rest = text.slice(match[0].length);
    const passed = /^\/\.webkeep\/to\/(https?|ftp)\/(.*)$/s.exec(rest);
    return passed ? `${passed[1]}://${passed[2]}` : origin + rest;
  }

  // A text with every replayed address in it as the archived one.
  archivedText(text) {
    if (typeof text !== 'string' || !text.includes(this.base)) return text;
    return text.replace(this.everyReplayUrl, (all, label) => this.originOf(label) || all);
  }

  // Whether a text may have addresses in it that become others, or are others already.
  concerns(text) {
    return text.includes('//');
  }

  moves(address) {
    return namesHost(address);
  }

  isReplayed(text) {
    return text.includes(this.base);
  }

  archivedReference(text) {
    return this.archived(text);
  }

  originOf(label) {
    if (!this.known.has(label)) this.known.set(label, originOf(LABEL.exec(label)));
    return this.known.get(label);
  }

  replayedOrigin(origin) {
    try {
      const url = new URL(origin);
      return url.protocol in LETTERS ? new URL(this.replayed(url.origin + '/')).origin : origin;
    } catch {
      return origin;
    }
  }

  archivedOrigin(origin) {
    const found = this.archived(origin + '/');
    return found === origin + '/' ? origin : new URL(found).origin;
  }
}

// Whether a reference names its host; data may be long, and its beginning tells.
function namesHost(text) {
  return NAMES_HOST.test(text.slice(0, LOOKED_AT).replace(/[\t\n\r]/g, ''));
}

function base32(text) {
  let bits = 0, count = 0, spelled = '';
  for (const byte of new TextEncoder().encode(text)) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 5; count -= 5) spelled += ALPHABET[bits >> count - 5 & 31];
    bits &= 255;
  }
  return count ? spelled + ALPHABET[bits << 5 - count & 31] : spelled;
}
