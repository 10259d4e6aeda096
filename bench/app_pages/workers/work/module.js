import {depth} from './depth.js';

onmessage = async () => postMessage(`${depth} ${(await import('./unit.js')).unit}`);
