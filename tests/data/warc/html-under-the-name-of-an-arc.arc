<!DOCTYPE html>
<title>Not found</title>
<p>The archive you asked for is not here.
