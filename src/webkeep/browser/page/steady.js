// Runs before any script of a page: time and chance come out the same in every load, so that what a script asks for
// does too, and animations keep the time that exploring runs on. It tells when a script begins to watch what is drawn.
(() => {
  const tell = globalThis.webkeepDraws;
  delete globalThis.webkeepDraws;
  const shift = BASE - Date.now();
  const Real = Date;
  const now = () => Real.now() + shift;
  globalThis.Date = new Proxy(Real, {
    construct: (target, words, made) => Reflect.construct(target, words.length ? words : [now()], made),
    apply: () => new Real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  let seed = 0x9e3779b9;
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  globalThis.requestAnimationFrame = (act) => setTimeout(() => act(performance.now()), 16);
  globalThis.cancelAnimationFrame = (handle) => clearTimeout(handle);
  for (const name of ['IntersectionObserver', 'ResizeObserver']) {
    if (!tell || !globalThis[name]) continue;
    globalThis[name] = new Proxy(globalThis[name], {
      construct(target, words, made) {
        tell(name);
        return Reflect.construct(target, words, made === globalThis[name] ? target : made);
      },
    });
  }
})();
