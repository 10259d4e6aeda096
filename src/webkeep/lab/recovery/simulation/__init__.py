"""Lost sites and the repositories that held pieces of them, as the experiments and the product meet them."""
