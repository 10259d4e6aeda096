onconnect = ({ports: [port]}) => { port.onmessage = () => port.postMessage('once'); };
