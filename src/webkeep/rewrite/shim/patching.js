// Patching: natives replaced by functions that look alike and call them.

function define(owner, name, descriptor) {
  Object.defineProperty(owner, name, {configurable: true, enumerable: false, ...descriptor});
}

function descriptorOf(owner, name) {
  for (let each = owner; each; each = Object.getPrototypeOf(each)) {
    const found = Object.getOwnPropertyDescriptor(each, name);
    if (found) return found;
  }
}

// Replaces a method; `make` gets the native one and gives the new one.
function patchMethod(owner, name, make) {
  const found = owner && descriptorOf(owner, name);
  if (!found || typeof found.value !== 'function' || !(found.configurable || found.writable)) return;
  const replacement = make(found.value);
  define(replacement, 'name', {value: name});
  define(replacement, 'length', {value: found.value.length});
  if (found.configurable) Object.defineProperty(owner, name, {...found, value: replacement});
  else owner[name] = replacement;
}

// Passes the value of an accessor through functions on its way in and out.
function patchAccessor(owner, name, {read, write}) {
  const found = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!found || !found.configurable || !found.get) return;
  const get = read ? function() { return read.call(this, found.get.call(this)); } : found.get;
  const set = write && found.set ? function(value) { write.call(this, value, found); } : found.set;
  Object.defineProperty(owner, name, {...found, get, set});
}

// Replaces a constructor; `change` gets the arguments and gives those that the native one is called with.
function patchConstructor(scope, name, change) {
  const native = scope[name];
  if (typeof native !== 'function') return;
  const replacement = new Proxy(native, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, change(args), newTarget === replacement ? target : newTarget),
  });
  define(scope, name, {value: replacement, writable: true});
  define(native.prototype, 'constructor', {value: replacement, writable: true});
}

const OPENING = /^\s*(?:<!--[^]*?-->\s*)*(?:<!doctype[^>]*>)?\s*(?:<html[^>]*>)?\s*(?:<head[^>]*>)?/i;

// A page with something as the first thing in its head.
function withHead(html, tag) {
  return html.replace(OPENING, (start) => start + tag);
}
