// The location that scripts see: the archived one, whose changes lead to pages of the copy, or out of it.

function archivedLocation(real, addresses, prototype) {
  const location = Object.create(prototype);
  const href = () => addresses.here(real);
  const parts = () => new URL(href());
  const member = (name, descriptor) => define(location, name, {enumerable: true, ...descriptor});
  member('href', {get: href, set: (value) => addresses.go(value, real, 'assign')});
  for (const name of ['protocol', 'host', 'hostname', 'port', 'pathname', 'search']) {
    member(name, {get: () => parts()[name], set(value) {
      const url = parts();
      url[name] = value;
      addresses.go(url.href, real, 'assign');
    }});
  }
  member('hash', {get: () => real.hash, set: (value) => { real.hash = value; }});
  member('origin', {get: () => parts().origin});
  member('ancestorOrigins', {get: () => real.ancestorOrigins});
  for (const name of ['assign', 'replace']) member(name, {value: (url) => addresses.go(url, real, name)});
  member('reload', {value: () => real.reload()});
  member('toString', {value: href});
  define(location, Symbol.toPrimitive, {value: undefined});
  return location;
}
