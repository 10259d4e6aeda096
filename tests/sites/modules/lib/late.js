export {greet} from './greet.js';
export const late = 'by a map';
