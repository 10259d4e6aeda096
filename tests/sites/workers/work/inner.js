const request = new XMLHttpRequest();
request.open('GET', 'data.json?inner', false);
request.send();
postMessage(`inner ${JSON.parse(request.responseText).count}`);
