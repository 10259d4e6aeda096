"""Recordings: the run behind the proxy, the browser for it, and the recording as a value that programs hold."""
