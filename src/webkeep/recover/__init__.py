"""Lost websites, brought back out of the archives that hold pieces of them."""
