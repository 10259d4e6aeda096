"""Speed and robustness, measured against peers in the same run."""
