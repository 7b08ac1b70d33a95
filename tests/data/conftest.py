from hypothesis import settings

# A busy machine must not fail a test of what is right, not of how fast it is.
settings.register_profile("attnlab", deadline=None)
settings.load_profile("attnlab")
