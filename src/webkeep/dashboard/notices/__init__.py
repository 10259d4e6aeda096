"""What programs elsewhere are told: a feed of jobs that ended, metrics, and webhooks."""
