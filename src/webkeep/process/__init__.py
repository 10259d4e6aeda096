"""What a long-running command asks of its own process: signals heeded, garbage looked for less often."""
