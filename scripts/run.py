"""What `make run` does."""
