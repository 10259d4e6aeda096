"""What the published experiments did not try: the product itself, whims of repositories, choices of versions."""
