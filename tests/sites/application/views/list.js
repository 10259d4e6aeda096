export async function render() {
  const ships = await (await fetch('/api/ships.json')).json();
  const list = document.createElement('ul');
  list.append(...ships.map((name) => Object.assign(document.createElement('li'), {textContent: name})));
  return list;
}
