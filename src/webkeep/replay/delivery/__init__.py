"""Archived messages on their way out: bodies and ranges, headers, rewriting, redirections, WebSockets."""
