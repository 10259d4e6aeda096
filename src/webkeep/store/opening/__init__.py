"""What opening an archive mends: a torn tail, an unfinished replacement, caches that are behind the files."""
