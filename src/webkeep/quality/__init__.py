"""What a capture is worth: its coherence certificate, derived from the WARC files alone, kept, compared and shown."""
