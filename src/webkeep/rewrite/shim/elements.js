// Elements: attributes that scripts set and read, and trees that they put into the page.

const URL_PROPERTIES = {
  HTMLImageElement: ['src', 'lowsrc', 'longDesc'], HTMLScriptElement: ['src'], HTMLIFrameElement: ['src', 'longDesc'],
  HTMLFrameElement: ['src', 'longDesc'], HTMLLinkElement: ['href'], HTMLAnchorElement: ['href'],
  HTMLAreaElement: ['href'],
  HTMLMediaElement: ['src', 'currentSrc'], HTMLVideoElement: ['poster'], HTMLSourceElement: ['src'],
  HTMLTrackElement: ['src'], HTMLEmbedElement: ['src'], HTMLObjectElement: ['data', 'codeBase'],
  HTMLFormElement: ['action'], HTMLInputElement: ['src', 'formAction'], HTMLButtonElement: ['formAction'],
  HTMLBaseElement: ['href'], HTMLQuoteElement: ['cite'], HTMLModElement: ['cite'], HTMLBodyElement: ['background'],
  SVGAnimatedString: ['baseVal'],
};
const SET_PROPERTIES = {HTMLImageElement: ['srcset'], HTMLSourceElement: ['srcset'], HTMLLinkElement: ['imageSrcset']};
const SCANNED = ':is([src],[href],[srcset],[style],[action],[formaction],[poster],[data],[background],[integrity],' +
  '[srcdoc],[ping],[imagesrcset],[http-equiv]),iframe,frame,style,image,use,script';
const DATA_TYPES = /^(?:importmap|speculationrules)$/i;
const NAMES = [...URL_ATTRIBUTES, ...SET_ATTRIBUTES, ...SPACED_ATTRIBUTES, 'style'];

function patchElements(scope, addresses, frames) {
  const {Element, DocumentFragment} = scope;
  const archived = (value) => addresses.archived(value);
  const {getAttribute, setAttribute, removeAttribute, querySelectorAll} = Element.prototype;
  const {querySelectorAll: allInFragment} = DocumentFragment.prototype;
  const native = {
    get: getAttribute, set: setAttribute, remove: removeAttribute,
    all: (node) => (node.nodeType === 1 ? querySelectorAll : allInFragment).call(node, SCANNED),
  };
  addresses.natives = native;
  const write = function(value, found) { found.set.call(this, addresses.replayed(value)); };
  for (const [name, properties] of Object.entries(URL_PROPERTIES)) {
    for (const property of properties) patchAccessor(scope[name]?.prototype, property, {read: archived, write});
  }
  for (const [name, properties] of Object.entries(SET_PROPERTIES)) {
    for (const property of properties) {
      patchAccessor(scope[name]?.prototype, property, {
        read: (value) => addresses.archivedText(value),
        write(value, found) { found.set.call(this, replayedSet(String(value), addresses)); },
      });
    }
  }
  patchAccessor(scope.HTMLImageElement?.prototype, 'currentSrc', {read: archived});
  for (const name of ['HTMLScriptElement', 'HTMLLinkElement']) {
    patchAccessor(scope[name]?.prototype, 'integrity', {
      read() { return native.get.call(this, 'data-lifted-integrity') || ''; },
      write(value) { native.set.call(this, 'data-lifted-integrity', value); },
    });
  }
  patchAccessor(scope.HTMLIFrameElement?.prototype, 'srcdoc', {
    read: (value) => typeof value === 'string' ? value.replace(addresses.shimTag, '') : value,
    write(value, found) { found.set.call(this, addresses.shimTag + replayedMarkup(String(value), addresses)); },
  });
  patchLinkParts(scope, addresses);
  patchAttributes(scope, addresses);
  patchTrees(scope, addresses, frames, native);
}

// The parts of a link's address are those of the archived one.
function patchLinkParts(scope, addresses) {
  for (const name of ['HTMLAnchorElement', 'HTMLAreaElement']) {
    const prototype = scope[name]?.prototype;
    for (const part of ['protocol', 'host', 'hostname', 'port', 'origin', 'pathname', 'search']) {
      const parts = (element) => { try { return new URL(element.href); } catch { return null; } };
      patchAccessor(prototype, part, {
        read(value) { return parts(this)?.[part] ?? value; },
        write(value, found) {
          const url = parts(this);
          if (!url) return found.set.call(this, value);
          url[part] = value;
          this.href = url.href;
        },
      });
    }
    patchMethod(prototype, 'toString', () => function() { return this.href; });
  }
}

function patchAttributes(scope, addresses) {
  const {Element, Attr} = scope;
  const isAddress = (name) => URL_ATTRIBUTES.has(name) || SET_ATTRIBUTES.has(name) || name === 'style';
  const incoming = (element, name, value) => {
    const key = String(name).toLowerCase();
    if (key === 'srcdoc') return addresses.shimTag + replayedMarkup(String(value), addresses);
    return isAddress(key) || SPACED_ATTRIBUTES.has(key) ?
      replayedAttribute(element.localName, key, String(value), addresses) : value;
  };
  const outgoing = (name, value) => {
    if (typeof value !== 'string' || !addresses.isReplayed(value)) return value;
    const key = String(name).toLowerCase();
    return URL_ATTRIBUTES.has(key) ? addresses.archivedReference(value) : isAddress(key) ? addresses.archivedText(value) :
      key === 'srcdoc' ? value.replace(addresses.shimTag, '') : value;
  };
  const lifted = (element, name, value) => String(name).toLowerCase() === 'integrity' &&
    /^(script|link)$/.test(element.localName) || isPolicy(element, name, value) ||
    addresses.lifts?.(String(name).toLowerCase()) ? `data-lifted-${name}` : name;
  patchMethod(Element.prototype, 'setAttribute', (set) => function(name, value) {
    return set.call(this, lifted(this, name, value), incoming(this, name, value));
  });
  patchMethod(Element.prototype, 'setAttributeNS', (set) => function(space, name, value) {
    return set.call(this, space, name, incoming(this, String(name).replace(/^.*:/, ''), value));
  });
  patchMethod(Element.prototype, 'getAttribute', (get) => function(name) {
    return outgoing(name, get.call(this, name));
  });
  patchMethod(Element.prototype, 'getAttributeNS', (get) => function(space, name) {
    return outgoing(name, get.call(this, space, name));
  });
  patchAccessor(Attr?.prototype, 'value', {
    read(value) { return outgoing(this.name, value); },
    write(value, found) {
      // One without an element may become that of an object, whose data is an address.
      found.set.call(this, incoming(this.ownerElement || {localName: 'object'}, this.name, value));
    },
  });
}

function isPolicy(element, name, value) {
  return element.localName === 'meta' && String(name).toLowerCase() === 'http-equiv' &&
    /^\s*content-security-policy/i.test(value);
}

function patchTrees(scope, addresses, frames, native) {
  const {Element, Node, Document, DocumentFragment, Range, CharacterData} = scope;
  const isStyle = (node) => node && node.localName === 'style';
  const mend = (element) => {
    for (const name of NAMES) {
      const value = native.get.call(element, name);
      if (value === null || !addresses.concerns(value)) continue;
      const renamed = replayedAttribute(element.localName, name, value, addresses);
      if (renamed !== value) native.set.call(element, name, renamed);
    }
    const integrity = native.get.call(element, 'integrity');
    if (integrity !== null) {
      native.set.call(element, 'data-lifted-integrity', integrity);
      native.remove.call(element, 'integrity');
    }
    if (isPolicy(element, 'http-equiv', native.get.call(element, 'http-equiv') || '')) {
      native.remove.call(element, 'http-equiv');
    }
    const inner = element.localName === 'iframe' && native.get.call(element, 'srcdoc');
    if (inner && !inner.includes('data-webkeep=')) {
      native.set.call(element, 'srcdoc', addresses.shimTag + replayedMarkup(inner, addresses));
    }
    addresses.mendElement?.(element);
    if (isStyle(element)) element.childNodes.forEach(mendText);
    if (element.localName === 'script' && DATA_TYPES.test(native.get.call(element, 'type'))) mendData(element);
  };
  // Import maps and rules for speculation are read by the browser itself.
  const mendData = (script) => {
    const text = script.textContent.replace(/"((?:https?:)?\/\/[^"\\]*)"/g,
      (all, url) => JSON.stringify(addresses.replayed(url)));
    if (text !== script.textContent) script.textContent = text;
  };
  const mendText = (text) => {
    const css = text.nodeType === 3 ? replayedStyle(text.data, addresses) : text.data;
    if (css !== text.data) text.data = css;
  };
  const before = (parent, node) => {
    if (!node || typeof node !== 'object') return;
    if (node.nodeType === 3 && isStyle(parent)) mendText(node);
    if (node.nodeType !== 1 && node.nodeType !== 11) return;
    if (node.nodeType === 1) mend(node);
    native.all(node).forEach(mend);
  };
  const after = (node) => {
    if (!node || node.nodeType !== 1 || !node.isConnected) return;
    if (/^i?frame$/.test(node.localName)) frames(node);
    else if (node.firstElementChild) node.querySelectorAll('iframe,frame').forEach(frames);
  };
  const inserting = (parentOf) => (method) => function(...nodes) {
    const parent = parentOf(this);
    const contents = nodes.flatMap((node) => node && node.nodeType === 11 ? [...node.childNodes] : [node]);
    for (const node of nodes) {
      if (typeof node === 'string' && isStyle(parent)) continue;
      before(parent, node);
    }
    const result = method.apply(this, isStyle(parent) ?
      nodes.map((node) => typeof node === 'string' ? replayedStyle(node, addresses) : node) : nodes);
    contents.forEach(after);
    return result;
  };
  for (const name of ['appendChild', 'insertBefore', 'replaceChild']) {
    patchMethod(Node.prototype, name, inserting((node) => node));
  }
  for (const prototype of [Element.prototype, Document.prototype, DocumentFragment.prototype]) {
    for (const name of ['append', 'prepend', 'replaceChildren', 'moveBefore']) {
      if (Object.hasOwn(prototype, name)) patchMethod(prototype, name, inserting((node) => node));
    }
  }
  for (const prototype of [Element.prototype, CharacterData.prototype]) {
    for (const name of ['before', 'after', 'replaceWith']) {
      patchMethod(prototype, name, inserting((node) => node.parentNode));
    }
  }
  patchMethod(Element.prototype, 'insertAdjacentElement', (method) => function(where, element) {
    before(this, element);
    const result = method.call(this, where, element);
    after(element);
    return result;
  });
  patchMethod(Range.prototype, 'insertNode', (method) => function(node) {
    before(null, node);
    const result = method.call(this, node);
    after(node);
    return result;
  });
  patchTexts(scope, addresses, after, isStyle);
}

// Markup and style sheets that come as text.
function patchTexts(scope, addresses, after, isStyle) {
  const {Element, Node, HTMLElement, ShadowRoot, Range, Document} = scope;
  const markup = (element, value) => {
    const text = value === null ? '' : String(value);
    return isStyle(element) ? replayedStyle(text, addresses) : replayedMarkup(text, addresses);
  };
  for (const owner of [Element, ShadowRoot]) {
    patchAccessor(owner?.prototype, 'innerHTML', {
      read: (value) => addresses.archivedText(value),
      write(value, found) {
        found.set.call(this, markup(this, value));
        if (this.isConnected) this.querySelectorAll('iframe,frame').forEach((frame) => after(frame));
      },
    });
    for (const name of ['setHTMLUnsafe', 'setHTML']) {
      patchMethod(owner?.prototype, name, (method) => function(value, ...rest) {
        return method.call(this, markup(this, value), ...rest);
      });
    }
  }
  patchAccessor(Element.prototype, 'outerHTML', {
    read: (value) => addresses.archivedText(value),
    write(value, found) { found.set.call(this, replayedMarkup(String(value), addresses)); },
  });
  patchMethod(Element.prototype, 'insertAdjacentHTML', (method) => function(where, value) {
    const result = method.call(this, where, replayedMarkup(String(value), addresses));
    after(this.parentElement || this);
    return result;
  });
  patchMethod(Range.prototype, 'createContextualFragment', (method) => function(value) {
    return method.call(this, replayedMarkup(String(value), addresses));
  });
  const write = function(value, found) {
    found.set.call(this, isStyle(this) && typeof value === 'string' ? replayedStyle(value, addresses) : value);
  };
  patchAccessor(Node.prototype, 'textContent', {write});
  patchAccessor(HTMLElement.prototype, 'innerText', {write});
  for (const name of ['write', 'writeln']) {
    patchMethod(Document.prototype, name, (method) => function(...texts) {
      return method.call(this, replayedMarkup(texts.join(''), addresses));
    });
  }
}
