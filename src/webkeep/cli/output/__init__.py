"""What commands say: lines, tables and pages for people, JSON for programs."""
