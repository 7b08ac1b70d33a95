"""Matplotlib figures that more than one chapter draws. Import what you need:

`attnlab.figures.palette` (colours by role), `attnlab.figures.style` (`use_style`).
"""
