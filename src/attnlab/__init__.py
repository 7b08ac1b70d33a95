"""attnlab: the package under the book *Attention, Measured*."""
