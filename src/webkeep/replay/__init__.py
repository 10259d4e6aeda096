"""The archive as a web server that travels in time."""
