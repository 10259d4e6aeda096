"""What a long-running command asks of its own process: signals heeded, files never half left, little garbage."""
