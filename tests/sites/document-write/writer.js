document.write('<img id="twice" src="twice.png"><script>document.body.dataset.writer = "a script that was written wrote"</script>');
