// States: a window that was named after one plays its script once the page is there, and is told how far that got.

const STATE_MARKER = 'webkeep-state:';

// What happened in closed shadow trees was done from outside the page; here the page itself has to get there.
function openShadows(scope) {
  patchMethod(scope.Element.prototype, 'attachShadow', (native) => function(options) {
    return native.call(this, {...options, mode: 'open'});
  });
}

async function showState(scope, addresses, control) {
  const name = String(scope.name);
  if (scope !== self || !name.startsWith(STATE_MARKER)) return;
  scope.name = '';
  openShadows(scope);
  const {fetch} = scope;
  const motion = new Motion(scope);
  const id = name.slice(STATE_MARKER.length);
  const url = encodeURIComponent(addresses.archived(location.href).split('#')[0]);
  const answer = await fetch(`${addresses.origin}/.webkeep/script?id=${id}&url=${url}`);
  const script = await answer.json();
  const player = await import(`${addresses.origin}/.webkeep/player.js`);
  const done = script ? await player.play(script, motion) : 0;
  const facts = {webkeep: 'state', id, done, steps: script ? script.steps.length : -1};
  define(scope, 'webkeep_state$', {value: facts});
  if (control && scope.parent !== scope) scope.parent.postMessage(facts, control);
}
