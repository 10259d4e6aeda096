import word from './word.js';
export default word;
