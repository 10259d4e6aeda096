export {hint} from './dependency.js';
