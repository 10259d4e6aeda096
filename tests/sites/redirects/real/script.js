window.ran = new URL(document.currentScript.src).pathname;
