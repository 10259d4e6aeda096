// The location that scripts see: the archived one, whose changes lead to the replayed one.

function archivedLocation(real, addresses, prototype) {
  const location = Object.create(prototype);
  const href = () => addresses.archived(real.href);
  const parts = () => /^about:/.test(real.href) ? real : new URL(href().replace(/^blob:/, ''));
  const go = (value) => { real.href = addresses.replayed(value); };
  const member = (name, descriptor) => define(location, name, {enumerable: true, ...descriptor});
  member('href', {get: href, set: go});
  for (const name of ['pathname', 'search', 'hash']) {
    member(name, {get: () => real[name], set: (value) => { real[name] = value; }});
  }
  for (const name of ['protocol', 'host', 'hostname', 'port']) {
    member(name, {get: () => parts()[name], set(value) {
      const url = new URL(href());
      url[name] = value;
      go(url.href);
    }});
  }
  member('origin', {get: () => parts().origin});
  member('ancestorOrigins', {get: () => real.ancestorOrigins});
  for (const name of ['assign', 'replace']) member(name, {value: (url) => real[name](addresses.replayed(url))});
  member('reload', {value: () => real.reload()});
  member('toString', {value: href});
  define(location, Symbol.toPrimitive, {value: undefined});
  return location;
}
