importScripts('../Speed.js');
onmessage = async ({data}) => postMessage(`${data} hours at ${speed}, ${(await (await fetch('../time.json')).json()).time}`);
