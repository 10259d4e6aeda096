import htm from 'htm/dist/htm.module.js';
import {h} from 'preact';

export const html = htm.bind(h);
