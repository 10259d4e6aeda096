import {html} from './markup.js';

export const Ship = ({number}) => html`<figure><img src=${`/pictures/ship-${number}.png`} alt="" /><figcaption>${number}</figcaption></figure>`;
