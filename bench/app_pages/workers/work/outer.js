const inner = new Worker('deep/inner.js');
inner.onmessage = ({data}) => postMessage(data);
onmessage = ({data}) => inner.postMessage(data);
