// Addresses in a copy: which file stands for an archived URL, and which URL a file stands for. Scripts live among
// archived URLs; what they hand to the browser becomes an address of the copy, and back.

const SCHEME = /^[\0- ]*([a-z][a-z0-9+.-]*):/i;
const WEB = /^(?:https?|file):$/i;
const MODULE_CALL = /^data:text\/javascript;webkeep=([^,;]*),/;
const PLACEHOLDER = /\{\{|\$\{|<%/;
const {URL, location: realLocation} = self;

class Addresses {
  // `page` is the archived URL of the document, `base` what its base element says.
  constructor(holdings, page, base) {
    this.holdings = holdings;
    this.page = page;
    this.fixedBase = base || '';
    this.home = new URL(page).origin;
    this.homeUrl = new URL(page);
    this.shimTag = '';
  }

  get base() {
    return this.fixedBase || this.page;
  }

  // The archived URL that a reference of a script means; undefined where it is none of the web's.
  resolve(value) {
    const text = typeof value === 'string' ? value : String(value);
    const scheme = SCHEME.exec(text);
    if (scheme && !WEB.test(scheme[1] + ':')) return undefined;
    try {
      const url = new URL(text, this.base);
      if (url.protocol === 'file:' || this.holdings.isOwn(url.href)) {
        const found = this.holdings.urlOf(url.href);
        return found ? new URL(found) : url.protocol === 'file:' ? new URL(url.pathname + url.search, this.base) : url;
      }
      return url;
    } catch {
      return undefined;
    }
  }

  // Whether a reference is one that becomes another.
  moves(text) {
    const scheme = SCHEME.exec(text);
    return Boolean(text.trim()) && !/^\s*#/.test(text) && !(scheme && !WEB.test(scheme[1] + ':')) && !PLACEHOLDER.test(text);
  }

  concerns(text) {
    return typeof text === 'string' && text !== '';
  }

  isReplayed(text) {
    return this.moves(text) || MODULE_CALL.test(text);
  }

  // The address that the browser is given for a reference; what is not in the copy has its own, which leads out.
  replayed(value) {
    const text = typeof value === 'string' ? value : String(value);
    if (!this.moves(text)) return text;
    let url;
    try {
      url = new URL(text, this.base);
    } catch {
      return text;
    }
    if (this.holdings.isOwn(url.href)) return text;
    const found = url.protocol === 'file:' ? undefined : this.holdings.find(url.href);
    if (found) return this.holdings.address(found) + url.hash;
    return this.isFile(text) ? text : url.protocol === 'file:' ? this.resolve(text).href : url.href;
  }

  // Whether a reference is to something of the web that is not in the copy.
  lacks(text) {
    const renamed = this.moves(text) ? this.replayed(text) : '';
    return /^https?:/.test(renamed) && !this.holdings.isOwn(renamed);
  }

  // Whether a reference is one that the page was given on its way into the copy.
  isFile(text) {
    try {
      return Boolean(this.holdings.urlOf(new URL(text, this.holdings.documentBase()).href));
    } catch {
      return false;
    }
  }

  archived(text) {
    if (typeof text !== 'string') return text;
    const called = MODULE_CALL.exec(text);
    if (called) return decodeURIComponent(called[1]);
    if (!this.holdings.isOwn(text)) return text;
    return this.holdings.urlOf(text) || text;
  }

  archivedReference(text) {
    let url;
    try {
      url = new URL(text, this.holdings.documentBase());
    } catch {
      return text;
    }
    const called = MODULE_CALL.exec(text);
    const archived = called ? decodeURIComponent(called[1]) : this.holdings.isOwn(url.href) ? this.holdings.urlOf(url.href) : url.href;
    if (!archived) return text;
    return archived.startsWith(this.home + '/') ? archived.slice(this.home.length) : archived;
  }

  archivedText(text) {
    const {root} = this.holdings;
    if (typeof text !== 'string' || !root || !text.includes(root)) return text;
    return text.split(root).map((part, index) => {
      if (!index) return part;
      const [name] = /^[^\s"'()<>\\]*/.exec(part);
      return this.archived(root + name) + part.slice(name.length);
    }).join('');
  }

  replayedOrigin() {
    return '*';
  }

  // The address at which scripts see the document.
  here(real) {
    if (real !== realLocation) return this.archived(real.href);
    return this.page.split('#')[0] + real.hash;
  }

  // Go to another page; one that differs in its fragment alone is this one.
  go(value, real, name) {
    const url = this.resolve(value);
    if (!url || real !== realLocation) {
      real[name](url ? this.replayed(url.href) : String(value));
    } else if (url.href.split('#')[0] === this.page.split('#')[0] && url.href.includes('#')) {
      real[name](url.hash || '#');
    } else {
      real[name](this.replayed(url.href));
    }
  }
}
