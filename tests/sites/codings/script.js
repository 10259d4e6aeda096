window.unpacked = 'unpacked';
