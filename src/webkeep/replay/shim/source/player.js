// Plays a script of interactions on a replayed page, each when its element is there and the page has come to rest.
// A script is {steps, volatile}: what is to be done, and the elements that change without being touched.

const QUIET = 250;
const PATIENCE = 10000;
// As exploring has it: webkeep.browser.values, webkeep.browser.tab.
const SCREENS = 30;
const LOAD_GRANT = 2000;
const STEP_GRANT = 1000;

class Player {
  #motion;
  #volatile;

  constructor(volatile, motion) {
    this.#volatile = volatile;
    this.#motion = motion;
  }

  /**
   * Wait until nothing was loaded and nothing has changed for a while, or patience ends.
   * Timers have as many milliseconds as exploring gave them; what changes by itself tells nothing.
   */
  async rest(grant) {
    const begun = performance.now();
    let changed = begun;
    const note = () => { changed = performance.now(); };
    const restless = new Set(this.#volatile.map(webkeepFind));
    const isOwn = (target) => {
      let node = target;
      while (node && !restless.has(node)) node = node.parentNode;
      return Boolean(node);
    };
    const changes = new MutationObserver((records) => { if (!records.every(({target}) => isOwn(target))) note(); });
    changes.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    const loads = new PerformanceObserver(note);
    loads.observe({entryTypes: ['resource']});
    const isMissing = (image) => !image.complete && image.loading !== 'lazy';
    const isBusy = () => performance.now() - changed < QUIET || this.#motion.isAwaiting()
      || this.#motion.next() <= begun + grant || [...document.images].some(isMissing);
    while (isBusy() && performance.now() < begun + PATIENCE) await this.#motion.pause(QUIET / 5);
    changes.disconnect();
    loads.disconnect();
  }

  /** Do one thing, when it can be done; false where it never can. */
  async step(step) {
    const end = performance.now() + PATIENCE;
    while (!webkeepFind(step.target)) {
      if (performance.now() > end) return false;
      await this.#motion.pause(QUIET / 5);
    }
    return step.event === 'scroll' ? this.#scroll(step) : this.#act(step);
  }

  async #act(step) {
    if (!webkeepPerform(step)) return false;
    await this.rest(STEP_GRANT);
    return true;
  }

  /** Scroll as exploring did: again and again, until the page no longer grows or moves. */
  async #scroll(step) {
    const place = () => {
      const page = document.scrollingElement || document.documentElement;
      return `${page.scrollTop} ${page.scrollHeight}`;
    };
    for (let screen = 0, before = ''; screen < SCREENS && before !== place(); screen += 1) {
      before = place();
      if (!await this.#act(step)) return false;
    }
    return true;
  }
}

/** Do all of it; the answer is how many steps could be done. */
export async function play({steps, volatile}, motion) {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, {once: true}));
  const player = new Player(volatile, motion);
  await player.rest(LOAD_GRANT);
  let done = 0;
  for (const step of steps) {
    if (!await player.step(step)) break;
    done += 1;
  }
  return done;
}
