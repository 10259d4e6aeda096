// A hostile archived page: it gets every kind of answer of its host into a frame and tries every way out from there.
// What it has to do stands in the page: {ways: [{script, leaves, alone}], kinds: [AnswerKind], port, linger}.

const plan = JSON.parse(document.getElementById('plan').textContent);
const here = window[0].parent['loca' + 'tion']; // as the browser has it; the plain word is rewritten
const [share, shares] = (here.hash.slice(1) || '0/1').split('/').map(Number);
// A frame that the parser made is one that no shim has seen; its functions are the browser's own.
const bare = window[0];
const {appendChild} = bare.Node.prototype;
const {setTimeout: later} = bare;
const PATIENCE = 1500;
const opened = [];
let tries = 0, sealed = 0;

const pause = (time) => new Promise((yes) => later(yes, time));
const make = (name) => bare.document.createElement(name);
const add = (parent, node) => appendChild.call(parent, node);
const host = (way, kind) => `w${way}k${kind}.canary.test`;
const addressed = (text, way, kind) => text.replace(/(\/\/|\\\\|stun:|turn:|'|\/http\/)H(?=[\/:'"#?]|$)/g,
  (all, before) => before + host(way, kind)).replaceAll('PORT', plan.port);

async function framed(kind) {
  const frame = make('iframe');
  frame.name = `f${Math.random()}`;
  frame.src = kind.method === 'GET' ? new URL(kind.target, here).href : 'about:blank';
  if (kind.cookie_bytes) {
    for (let at = 0; at * 3000 < kind.cookie_bytes; at += 1) {
      bare.document.cookie = `c${at}=${'x'.repeat(3000)}; path=${kind.target}`;
    }
  }
  let loaded = new Promise((yes) => { frame.onload = yes; });
  add(document.body, frame);
  if (kind.method !== 'GET') {
    await loaded;
    loaded = new Promise((yes) => { frame.onload = yes; });
    post(kind, frame.name);
  }
  await Promise.race([loaded, pause(PATIENCE)]);
  return [frame, window[frame.name]];
}

function post(kind, target) {
  const form = make('form'), field = make('textarea');
  form.method = 'post';
  form.action = new URL(kind.target, here).href;
  form.target = target;
  field.name = 'a';
  field.value = kind.body_size > 3 ? 'x'.repeat(kind.body_size) : 'b';
  add(form, field);
  add(document.body, form);
  bare.HTMLFormElement.prototype.submit.call(form);
  form.remove();
}

// The windows that a page gets hold of by an answer in a frame: the frame's, and that of an empty frame in it.
function windowsOf(inner) {
  try {
    const {document: its} = inner;
    add(its.documentElement, its.createElement('iframe'));
    return [inner, inner[inner.length - 1]];
  } catch {
    return [];
  }
}

function run(scope, way, kind) {
  tries += 1;
  try {
    // Whatever is opened is opened from there, and closed again in the end.
    const open = 'const open = (...args) => { const made = window.open(...args); opened.push(made); return made; };';
    scope.eval(`(opened) => { ${open} ${addressed(plan.ways[way].script, way, kind)} }`)(opened);
  } catch {
    // A browser that does not know it, or a policy that is against it.
  }
}

async function tryFrom(kind, number) {
  const tried = plan.ways.map((_, way) => way).filter((way) => !plan.ways[way].alone);
  const groups = [tried.filter((way) => !plan.ways[way].leaves)];
  for (const way of tried) if (plan.ways[way].leaves) groups.push([way]);
  const [first, inner] = await framed(kind);
  const windows = windowsOf(inner);
  const frames = [first];
  for (const way of groups[0]) for (const each of [...windows].reverse()) run(each, way, number);
  if (windows.length) {
    frames.push(...await Promise.all(groups.slice(1).map(async ([way]) => {
      const [frame, apart] = await framed(kind);
      const [, empty] = windowsOf(apart);
      if (empty) run(empty, way, number);
      return frame;
    })));
  } else {
    sealed += 1;
    tries += tried.length;
  }
  await pause(plan.linger);
  for (const frame of frames) frame.remove();
  for (const each of opened.splice(0)) each?.close();
}

async function main() {
  for (const [number, kind] of plan.kinds.entries()) {
    if (number % shares !== share) continue;
    document.title = `at ${kind.name}`;
    await tryFrom(kind, number);
  }
  document.title = `done ${tries} ${sealed}`;
  here.hash = 'done'; // a page around this one is told where it is, and its title with that
}

main();
