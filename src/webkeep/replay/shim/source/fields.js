// Fields of archived answers: all of them are there with a prefix, and scripts see them under their own names.

const FIELD_PREFIX = 'x-archive-orig-';

// The archived name of a field; nothing for one that scripts never see.
function archivedField(name) {
  const key = String(name).toLowerCase();
  return key.startsWith(FIELD_PREFIX) && !/^set-cookie2?$/.test(key.slice(FIELD_PREFIX.length)) ?
    key.slice(FIELD_PREFIX.length) : '';
}

function plainFields(fields) {
  const present = new Set(fields.map(([name]) => name.toLowerCase()));
  const plain = [];
  for (const [name, value] of fields) {
    if (!name.toLowerCase().startsWith(FIELD_PREFIX)) plain.push([name, value]);
    else if (archivedField(name) && !present.has(archivedField(name))) plain.push([archivedField(name), value]);
  }
  return plain.sort(([one], [other]) => one < other ? -1 : 1);
}

function patchFields(scope) {
  const {Headers, XMLHttpRequest} = scope;
  const either = (missing) => (native) => function(name) {
    const found = native.call(this, name);
    return found === missing && archivedField(FIELD_PREFIX + name) ? native.call(this, FIELD_PREFIX + name) : found;
  };
  patchMethod(Headers.prototype, 'get', either(null));
  patchMethod(Headers.prototype, 'has', either(false));
  const {entries} = Headers.prototype;
  const listed = (headers) => plainFields([...entries.call(headers)]);
  patchMethod(Headers.prototype, 'entries', () => function() { return listed(this).values(); });
  patchMethod(Headers.prototype, Symbol.iterator, () => function() { return listed(this).values(); });
  patchMethod(Headers.prototype, 'keys', () => function() { return listed(this).map(([name]) => name).values(); });
  patchMethod(Headers.prototype, 'values', () => function() { return listed(this).map(([, value]) => value).values(); });
  patchMethod(Headers.prototype, 'forEach', () => function(visit, that) {
    for (const [name, value] of listed(this)) visit.call(that, value, name, this);
  });
  patchMethod(XMLHttpRequest?.prototype, 'getResponseHeader', either(null));
  patchMethod(XMLHttpRequest?.prototype, 'getAllResponseHeaders', (native) => function() {
    const lines = native.call(this).split('\r\n').filter(Boolean).map((line) => line.split(/: ?(.*)/s).slice(0, 2));
    return plainFields(lines).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  });
}
