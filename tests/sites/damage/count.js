document.documentElement.dataset.visits = String(history.length);
