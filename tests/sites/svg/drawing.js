document.documentElement.dataset.ran = 'a script inside a drawing ran';
