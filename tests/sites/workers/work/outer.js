new Worker('inner.js').onmessage = (message) => postMessage(`outer of ${message.data}`);
