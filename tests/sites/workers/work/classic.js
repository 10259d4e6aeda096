importScripts('library.js', '/work/second.js');
fetch('data.json').then((answer) => answer.json()).then((data) => postMessage(`${library} ${second} ${data.count}`));
