window.library = 'a library with integrity';
