// Frames and windows that begin empty: their documents come from no server, so the page that made them equips them.

function equipper(addresses, install) {
  const equip = (target) => {
    try {
      if (target && target.document && !Object.hasOwn(target, 'webkeep_location$')) install(target, addresses);
    } catch {
      // Another origin's window, which has its own shim.
    }
  };
  const frame = (element) => equip(element.contentWindow);
  return {equip, frame};
}


function patchFrames(scope, equip) {
  for (const name of ['HTMLIFrameElement', 'HTMLFrameElement', 'HTMLObjectElement', 'HTMLEmbedElement']) {
    const prototype = scope[name]?.prototype;
    const native = prototype && Object.getOwnPropertyDescriptor(prototype, 'contentWindow');
    const inner = native ? (element) => native.get.call(element) : () => null;
    patchAccessor(prototype, 'contentWindow', {read(value) { equip(value); return value; }});
    patchAccessor(prototype, 'contentDocument', {read(value) { equip(inner(this)); return value; }});
  }
}
