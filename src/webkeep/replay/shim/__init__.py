"""What the server, the rewriting and the script in the page agree on; `README.md` has it in words."""
