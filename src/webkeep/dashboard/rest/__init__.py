"""The service for programs: what the pages can do as JSON over HTTP, with a description made of the same table."""
