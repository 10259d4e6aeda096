import {picture} from './picture.js';
export async function render(number) {
  const ship = await (await fetch(`/api/ship-${number}.json`)).json();
  const view = document.createElement('article');
  view.append(ship.name, await picture(ship.picture));
  return view;
}
