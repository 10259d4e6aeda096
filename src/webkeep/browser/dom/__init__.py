"""The document as Chromium has it at a moment: tree, names of elements, listeners, signature, markup."""
