// Cookies. Where the hosts of several origins could share cookies they have none: what a page's scripts keep as cookies
// is kept with its origin's own storage, which no other can reach, for as long as the tab is open.

const JAR = 'webkeep-cookies';

class CookieJar {
  #cookies = new Map();
  #storage = null;

  constructor(scope) {
    try {
      this.#storage = scope.sessionStorage;
      this.#cookies = new Map(JSON.parse(this.#storage.getItem(JAR) || '[]'));
    } catch {
      // Nothing was kept, or nothing can be.
    }
  }

  get text() {
    return [...this.#cookies].map(([name, value]) => name ? `${name}=${value}` : value).join('; ');
  }

  all(name) {
    return [...this.#cookies].filter(([each]) => name === undefined || each === name)
      .map(([each, value]) => ({name: each, value}));
  }

  // Takes a cookie as a script writes it.
  write(text) {
    const [pair, ...rest] = text.split(';');
    const at = pair.indexOf('=');
    this.put(pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim(), isOver(rest));
  }

  put(name, value, over) {
    if (over) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
    try {
      this.#storage.setItem(JAR, JSON.stringify([...this.#cookies]));
    } catch {
      // It is kept for as long as the page is there.
    }
  }
}

function isOver(attributes) {
  return attributes.some((each) => {
    const [name, value = ''] = each.split('=').map((part) => part.trim());
    if (/^max-age$/i.test(name)) return Number(value) <= 0;
    return /^expires$/i.test(name) && Date.parse(value) < Date.now();
  });
}

function patchJar(scope, jar) {
  patchAccessor(scope.Document.prototype, 'cookie', {read: () => jar.text, write: (value) => jar.write(String(value))});
  const named = (first) => first && typeof first === 'object' ? first.name : first === undefined ? first : String(first);
  const store = scope.CookieStore?.prototype;
  patchMethod(store, 'get', () => async (first) => jar.all(named(first))[0] || null);
  patchMethod(store, 'getAll', () => async (first) => jar.all(named(first)));
  patchMethod(store, 'delete', () => async (first) => jar.put(named(first), '', true));
  patchMethod(store, 'set', () => async (first, value) => {
    const {value: told, expires} = first && typeof first === 'object' ? first : {value};
    jar.put(named(first), String(told), typeof expires === 'number' && expires < Date.now());
  });
}

// A cookie without its domain; null where it is for another site.
function cookieAtHome(cookie, host) {
  const domain = /;\s*domain\s*=\s*\.?([^;\s]*)/i.exec(cookie);
  const name = domain ? domain[1].toLowerCase() : '';
  if (name && host !== name && !host.endsWith('.' + name)) return null;
  return cookie.replace(/;\s*domain\s*=[^;]*/gi, '');
}

function patchCookies(scope, addresses) {
  if (addresses.jar) return patchJar(scope, addresses.jar);
  patchAccessor(scope.Document.prototype, 'cookie', {
    write(value, found) {
      const cookie = cookieAtHome(String(value), addresses.homeUrl.hostname);
      if (cookie !== null) found.set.call(this, cookie);
    },
  });
  patchMethod(scope.CookieStore?.prototype, 'set', (native) => function(first, ...rest) {
    return native.call(this, first && typeof first === 'object' ? {...first, domain: null} : first, ...rest);
  });
}
