document.documentElement.dataset.alone = 'yes';
