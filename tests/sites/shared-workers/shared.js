const ports = [];
const town = fetch('data.json').then((answer) => answer.json()).then((data) => data.town);
onconnect = async (connection) => {
  ports.push(connection.ports[0]);
  const told = {clients: ports.length, town: await town};
  ports.forEach((port) => port.postMessage(told));
};
