"""Recovery for visitors in the pages: what anybody may ask for, its page and result, and who administers that."""
