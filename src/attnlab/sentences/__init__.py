"""Real sentences: recipes for their data and models, translators, their scores."""
