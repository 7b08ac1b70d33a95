"""The book's colours, by role. Imports nothing, so that anything may use it.

The hues are those of Okabe and Ito, which people with colour-blindness can tell apart.
Colour is never the only sign: a label, a marker or a line style says the same.
"""

QUERY = "#0072B2"  # blue
KEY = "#E69F00"  # orange
VALUE = "#009E73"  # green
WRONG = "#D55E00"  # vermilion: an error, a refuted claim
ACCENT = "#CC79A7"  # purple: the one thing to look at
SKY = "#56B4E9"  # light blue
NEUTRAL = "#767676"  # grey: baselines, grid labels, what recedes

INK = "#1F2328"  # text and axes
CARD = "#FFFFFF"  # the ground every picture brings along, in light and dark mode
GRID = "#E2E4E8"

# What comes again from chapter to chapter has one colour in all of them.
LAYERS = {
    "attention": QUERY,
    "restricted": SKY,
    "recurrence": NEUTRAL,
    "convolution": ACCENT,
}
SCHEMES = {
    "sinusoidal": QUERY,
    "learned": ACCENT,
    "rotary": VALUE,
    "alibi": KEY,
    "none": NEUTRAL,
}

# By name, and what each turns into where the ground is dark.
ROLES = {
    "query": QUERY,
    "key": KEY,
    "value": VALUE,
    "wrong": WRONG,
    "accent": ACCENT,
    "sky": SKY,
    "neutral": NEUTRAL,
    "ink": INK,
    "card": CARD,
    "grid": GRID,
}
DARK = {
    QUERY: "#56B4E9",
    KEY: "#F0B43C",
    VALUE: "#35C79B",
    WRONG: "#FF8A3D",
    ACCENT: "#E3A6C6",
    SKY: "#9AD4F5",
    NEUTRAL: "#9AA3AD",
    INK: "#E8EAED",
    CARD: "#15191F",
    GRID: "#38414C",
}

# The order in which a plot with several series takes its colours, and its markers.
CYCLE = (QUERY, WRONG, VALUE, KEY, ACCENT, SKY, NEUTRAL)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
