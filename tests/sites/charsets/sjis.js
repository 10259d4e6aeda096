window.japanese = '`‚Ì“”‘ä';
