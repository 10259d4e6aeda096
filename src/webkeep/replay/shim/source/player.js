// Plays a script of interactions on a replayed page, each when its element is there and the page has come to rest.

const QUIET = 250;
const PATIENCE = 10000;
const SCREENS = 12;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Wait until nothing was loaded and nothing has changed for a while, or patience ends. */
async function rest() {
  let changed = performance.now();
  const note = () => { changed = performance.now(); };
  const changes = new MutationObserver(note);
  changes.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const loads = new PerformanceObserver(note);
  loads.observe({entryTypes: ['resource']});
  const end = performance.now() + PATIENCE;
  const isLoading = () => [...document.images].some((each) => !each.complete && each.loading !== 'lazy');
  while ((performance.now() - changed < QUIET || isLoading()) && performance.now() < end) await pause(QUIET / 5);
  changes.disconnect();
  loads.disconnect();
}

async function found(target) {
  const end = performance.now() + PATIENCE;
  while (!webkeepFind(target) && performance.now() < end) await pause(50);
  return Boolean(webkeepFind(target));
}

/** Scroll as exploring did: again and again, until the page no longer grows or moves. */
async function scrolled(step) {
  const place = () => {
    const page = document.scrollingElement || document.documentElement;
    return `${page.scrollTop} ${page.scrollHeight}`;
  };
  for (let screen = 0, before = ''; screen < SCREENS && before !== place(); screen += 1) {
    before = place();
    if (!webkeepPerform(step)) return false;
    await rest();
  }
  return true;
}

/** Do all of it; the answer is how many steps could be done. */
export async function play(script) {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, {once: true}));
  await rest();
  let done = 0;
  for (const step of script) {
    if (!await found(step.target)) break;
    if (step.event === 'scroll') {
      if (!await scrolled(step)) break;
    } else {
      if (!webkeepPerform(step)) break;
      await rest();
    }
    done += 1;
  }
  return done;
}
