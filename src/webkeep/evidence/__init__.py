"""Evidence: what stood on a page then, in a package that others can check; made, signed, dated and verified."""
