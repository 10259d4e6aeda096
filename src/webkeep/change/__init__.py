"""Whether pages changed, and how often they do: rates from history, hints and predictors; likeness of texts."""
