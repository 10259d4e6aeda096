"""What people write behind a command: options, plans, selections, periods, URLs."""
