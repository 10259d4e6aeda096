"""Secrets left out of texts by their format: JSON, XML, GraphQL, lines, name=value pairs, multipart, packed values."""
