"""The subcommands, one module each, named as they are called."""
