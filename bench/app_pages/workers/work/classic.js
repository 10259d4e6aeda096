onmessage = ({data}) => postMessage(data * 7);
