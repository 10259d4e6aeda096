"""The database of a cluster: its tables, what workers hand over and get, and the capture as one."""
