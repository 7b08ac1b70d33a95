"""The book's colours, by role. Imports nothing, so that anything may use it.

One colour is one idea: query, key (and weight) and value have theirs alone, signed
numbers have a ramp of their own, and what is only to be told apart (layers, schemes of
positions, networks) takes its colours from a third set. Controls are grey.

Within each of the three, people with colour-blindness can tell the colours apart, and
each stands out from the ground by 3:1 at least, in the light and in the dark. Colour is
never the only sign: a label, a marker or a line style says the same. The live figures
have the same colours (`live/css/live.css`).
"""

QUERY = "#0072B2"  # blue
KEY = "#C77700"  # orange: keys, and the weights they get
VALUE = "#009E73"  # green
WRONG = "#B3262E"  # red: an error, a refuted claim

BELOW = "#6F7600"  # olive: a number below zero
ABOVE = "#6B48C8"  # violet: a number above zero

ORCHID = "#B84FB2"
TEAL = "#13646D"
PLUM = "#582B4B"
BROWN = "#8A5A3A"
NEUTRAL = "#767676"  # grey: baselines, grid labels, what recedes

INK = "#1F2328"  # text and axes
CARD = "#FFFFFF"  # the ground every picture brings along, in light and dark mode
GRID = "#E2E4E8"

# What comes again from chapter to chapter has one colour in all of them.
NETWORKS = {"with attention": ORCHID, "without": NEUTRAL}
LAYERS = {
    "attention": ORCHID,
    "restricted": PLUM,
    "recurrence": NEUTRAL,
    "convolution": TEAL,
}
SCHEMES = {
    "sinusoidal": ORCHID,
    "learned": TEAL,
    "rotary": PLUM,
    "alibi": BROWN,
    "none": NEUTRAL,
}

# By name, and what each turns into where the ground is dark.
ROLES = {
    "query": QUERY,
    "key": KEY,
    "value": VALUE,
    "wrong": WRONG,
    "below": BELOW,
    "above": ABOVE,
    "orchid": ORCHID,
    "teal": TEAL,
    "plum": PLUM,
    "brown": BROWN,
    "neutral": NEUTRAL,
    "ink": INK,
    "card": CARD,
    "grid": GRID,
}
DARK = {
    QUERY: "#5AA9F2",
    KEY: "#F0B43C",
    VALUE: "#4CD694",
    WRONG: "#F0626A",
    BELOW: "#B9C24A",
    ABOVE: "#967DEE",
    ORCHID: "#C262BB",
    TEAL: "#97EEFE",
    PLUM: "#E2B5D1",
    BROWN: "#9F867B",
    NEUTRAL: "#9AA3AD",
    INK: "#E8EAED",
    CARD: "#15191F",
    GRID: "#38414C",
}

# The order in which a plot with several series takes its colours, and its markers.
CYCLE = (ORCHID, TEAL, NEUTRAL, BROWN, PLUM)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
