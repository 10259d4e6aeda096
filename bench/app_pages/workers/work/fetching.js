onmessage = async () => postMessage((await (await fetch('../work/time.json')).json()).time);
