// Styles: CSS text with the addresses in it replayed.

const STYLE_SIGN = /url\(|@import|image-set\(|src\(/i;
const STYLE_ADDRESS = /(\burl\(\s*|@import\s+)(?:"([^"]*)"|'([^']*)'|([^\s"')]+))/gi;
const IMAGE_SET = /(?:-webkit-)?image-set\((?:[^()]|\([^()]*\))*\)/gi;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

function replayedStyle(value, addresses) {
  if (typeof value !== 'string' || !addresses.concerns(value) || !STYLE_SIGN.test(value)) return value;
  const renamed = value.replace(STYLE_ADDRESS, (all, before, double, single, bare) => {
    const address = double ?? single ?? bare;
    return addresses.moves(address) ? before + JSON.stringify(addresses.replayed(address)) : all;
  });
  return renamed.replace(IMAGE_SET, (set) => set.replace(QUOTED, (all, double, single) => {
    const address = double ?? single;
    return addresses.moves(address) ? JSON.stringify(addresses.replayed(address)) : all;
  }));
}

function patchStyles(scope, addresses) {
  const style = (value) => replayedStyle(value, addresses);
  const write = function(value, native) { native.set.call(this, style(value)); };
  const {CSSStyleDeclaration, CSSStyleSheet, CSSRule} = scope;
  if (CSSStyleDeclaration) {
    patchMethod(CSSStyleDeclaration.prototype, 'setProperty', (native) => function(name, value, priority) {
      return native.call(this, name, style(value), priority);
    });
    patchAccessor(CSSStyleDeclaration.prototype, 'cssText', {read: (text) => addresses.archivedText(text), write});
  }
  for (const name of ['insertRule', 'addRule', 'replace', 'replaceSync']) {
    patchMethod(CSSStyleSheet?.prototype, name, (native) => function(...args) {
      return native.apply(this, args.map(style));
    });
  }
  patchAccessor(CSSRule?.prototype, 'cssText', {read: (text) => addresses.archivedText(text)});
  patchConstructor(scope, 'FontFace', (args) => args.map((value, index) => index === 1 ? style(value) : value));
  // Browsers keep the properties of declarations out of reach, so the declarations themselves are stood in for.
  const stands = new WeakMap();
  const standIn = (declaration) => {
    if (!declaration || typeof declaration !== 'object') return declaration;
    if (!stands.has(declaration)) stands.set(declaration, new Proxy(declaration, standing));
    return stands.get(declaration);
  };
  const methods = new WeakMap();
  const standing = {
    get(target, name) {
      const value = target[name];
      if (typeof value === 'string') return addresses.archivedText(value);
      if (typeof value !== 'function' || name === 'constructor') return value;
      let bound = methods.get(target);
      if (!bound) methods.set(target, bound = new Map());
      if (!bound.has(name)) bound.set(name, value.bind(target));
      return bound.get(name);
    },
    set(target, name, value) {
      target[name] = style(value);
      return true;
    },
  };
  if (scope.document) {
    patchMethod(scope, 'getComputedStyle', (native) => (...args) => standIn(native.apply(scope, args)));
  }
  for (const name of ['HTMLElement', 'SVGElement', 'MathMLElement', 'CSSStyleRule']) {
    patchAccessor(scope[name]?.prototype, 'style', {read: standIn, write});
  }
}
