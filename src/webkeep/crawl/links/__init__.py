"""What is read out of responses: links, robots directives, hints of change, programs that would run."""
