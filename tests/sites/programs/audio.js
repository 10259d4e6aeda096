import './tone.js';
registerProcessor('silence', class extends AudioWorkletProcessor { process() { return false; } });
