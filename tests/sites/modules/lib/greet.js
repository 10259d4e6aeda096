import {upper} from './deep/upper.js';
export const greet = (name) => `hello ${upper(name)}`;
