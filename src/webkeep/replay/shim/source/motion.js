// What a page has set in motion. Exploring gave timers their time and waited for answers, and so does playing.

const MOST_TIMERS = 1000;

class Motion {
  #due = new Map();
  #awaited = new Set();
  #now;

  constructor(scope) {
    const {performance, setTimeout} = scope;
    this.#now = () => performance.now();
    this.pause = (milliseconds) => new Promise((done) => setTimeout.call(scope, done, milliseconds));
    this.#watchTimers(scope, 'Timeout', false);
    this.#watchTimers(scope, 'Interval', true);
    this.#watchPromises(scope, ['fetch']);
    this.#watchPromises(scope.Response?.prototype, ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']);
    this.#watchRequests(scope.XMLHttpRequest);
  }

  /** Whether answers are under way. */
  isAwaiting() {
    return this.#awaited.size > 0;
  }

  /** When the next timer is due; those that are over are forgotten. */
  next() {
    const now = this.#now();
    let soonest = Infinity;
    for (const [number, {at, every}] of this.#due) {
      if (at < now && !every) this.#due.delete(number);
      else soonest = Math.min(soonest, at < now ? at + Math.ceil((now - at) / every) * every : at);
    }
    return soonest;
  }

  #watchTimers(scope, kind, repeats) {
    const due = this.#due;
    const now = this.#now;
    patchMethod(scope, `set${kind}`, (native) => function(work, delay, ...rest) {
      const number = native.call(scope, work, delay, ...rest);
      const wait = Math.max(Number(delay) || 0, 0);
      if (due.size < MOST_TIMERS) due.set(number, {at: now() + wait, every: repeats ? Math.max(wait, 1) : 0});
      return number;
    });
    patchMethod(scope, `clear${kind}`, (native) => function(number) {
      due.delete(number);
      return native.call(scope, number);
    });
  }

  #watchPromises(owner, names) {
    const awaited = this.#awaited;
    for (const name of names) {
      patchMethod(owner, name, (native) => function(...args) {
        const answer = native.apply(this, args);
        const over = () => awaited.delete(answer);
        awaited.add(answer);
        answer.then(over, over);
        return answer;
      });
    }
  }

  #watchRequests(kind) {
    const awaited = this.#awaited;
    patchMethod(kind?.prototype, 'send', (native) => function(...args) {
      this.addEventListener('loadend', () => awaited.delete(this), {once: true});
      native.apply(this, args);
      if (this.readyState !== kind.DONE) awaited.add(this);
    });
  }
}
