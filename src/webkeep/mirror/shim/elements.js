// What files refuse to elements that scripts make: `crossorigin`, and modules by their address. Pictures that are to be
// looked at dot by dot are given as blobs.

function patchCopiedElements(scope, addresses) {
  const {natives, holdings} = addresses;
  const isFile = /^file:/.test(realLocation.protocol);
  addresses.mendElement = (element) => {
    mendModules(addresses, natives, element);
    const crossorigin = isFile ? natives.get.call(element, 'crossorigin') : null;
    if (crossorigin !== null) {
      natives.set.call(element, 'data-lifted-crossorigin', crossorigin);
      natives.remove.call(element, 'crossorigin');
    }
    if (element.localName === 'link' && /\bmanifest\b/i.test(natives.get.call(element, 'rel') || '')) {
      natives.remove.call(element, 'href');
    }
  };
  if (!isFile) return;
  addresses.lifts = (name) => name === 'crossorigin';
  for (const name of ['HTMLImageElement', 'HTMLScriptElement', 'HTMLLinkElement', 'HTMLMediaElement']) {
    patchAccessor(scope[name]?.prototype, 'crossOrigin', {
      read() { return natives.get.call(this, 'data-lifted-crossorigin'); },
      write(value) {
        if (value === null) natives.remove.call(this, 'data-lifted-crossorigin');
        else natives.set.call(this, 'data-lifted-crossorigin', value);
      },
    });
  }
  const known = new WeakMap();
  patchAccessor(scope.HTMLImageElement.prototype, 'src', {
    read(value) { return known.get(this) || value; },
    write(value, found) {
      known.delete(this);
      const url = natives.get.call(this, 'data-lifted-crossorigin') === null ? undefined : addresses.resolve(value);
      const held = url && holdings.find(url.href);
      if (!held || !(held.has & HAS_ANSWER)) {
        found.set.call(this, value);
        return;
      }
      known.set(this, url.href);
      holdings.content(held).then(({bytes, type}) => {
        if (known.get(this) === url.href) found.set.call(this, blobAddress(new NativeBlob([bytes], {type})));
      });
    },
  });
}
