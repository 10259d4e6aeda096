// The clock and the dice, set to the moment where the label says so.

function patchClock(scope, addresses) {
  if (!addresses.options.includes('c')) return;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(addresses.options);
  const NativeDate = scope.Date;
  const nativeNow = NativeDate.now;
  const behind = nativeNow() - NativeDate.UTC(year, month - 1, day, hour, minute, second);
  const now = () => nativeNow() - behind;
  const ArchivedDate = new Proxy(NativeDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length ? args : [now()], newTarget === ArchivedDate ? target : newTarget),
    apply: () => new NativeDate(now()).toString(),
  });
  define(NativeDate, 'now', {value: now, writable: true});
  define(NativeDate.prototype, 'constructor', {value: ArchivedDate, writable: true});
  define(scope, 'Date', {value: ArchivedDate, writable: true});
  let state = Number(addresses.options.slice(4, 14)) >>> 0;
  define(scope.Math, 'random', {writable: true, value: () => {
    state = state + 0x9e3779b9 >>> 0;
    let mixed = Math.imul(state ^ state >>> 16, 0x21f0aaad);
    mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a2d97);
    return ((mixed ^ mixed >>> 15) >>> 0) / 4294967296;
  }});
}
