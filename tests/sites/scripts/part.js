came_from(new URL(document.currentScript.src).search);
