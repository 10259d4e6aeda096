importScripts('Speed.js'); onmessage = () => postMessage(speed);
