"""An archive on disk."""
