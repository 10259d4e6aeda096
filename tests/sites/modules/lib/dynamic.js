export default await fetch(new URL('data.json?dynamic', import.meta.url)).then((answer) => answer.json()).then((data) => data.town);
