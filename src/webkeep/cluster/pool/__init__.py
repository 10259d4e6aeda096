"""Workers that are started and ended by the load of a capture: how many are wanted, and where they run."""
