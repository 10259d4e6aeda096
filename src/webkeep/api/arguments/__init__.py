"""What a call is given, as people and programs write it: paths, moments, options of a capture, plans, selections."""
