import {word} from './part.mjs';
const {late} = await import('./late.mjs');
postMessage(`${word} ${late} ${(await (await fetch('data.json?module')).json()).count}`);
