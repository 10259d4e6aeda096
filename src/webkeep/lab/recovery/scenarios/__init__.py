"""What the published experiments did not try: the product itself, faults of repositories, choices of versions."""
