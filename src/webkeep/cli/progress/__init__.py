"""How far a command is, while it runs: for a terminal, a log, or a program."""
