const routes = [[/^\/ships$/, () => import('./views/list.js')], [/^\/ships\/(\d+)$/, () => import('./views/ship.js')]];
async function go(path) {
  const [pattern, load] = routes.find(([pattern]) => pattern.test(path));
  const view = await load();
  document.querySelector('#view').replaceChildren(await view.render(...path.match(pattern).slice(1)));
  return document.querySelector('#view').innerText.replace(/\s+/g, ' ').trim();
}
const first = go(location.pathname);
const second = first.then(() => new Promise((yes) => {
  document.addEventListener('click', (it) => {
    it.preventDefault();
    history.pushState(null, '', it.target.href);
    yes(go(location.pathname));
  });
  document.querySelectorAll('nav a')[1].click();
}));
show({first, second, address: second.then(() => location.pathname)});
