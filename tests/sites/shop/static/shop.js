const place = ["stock", "json"].join(".");
fetch(`/${place}`).then((answer) => answer.json()).then((told) => { document.title = `${told.stock} in stock`; });
