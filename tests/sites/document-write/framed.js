document.body.dataset.ran = 'in a page that was written';
