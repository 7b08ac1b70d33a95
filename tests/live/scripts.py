"""What a reader does with a figure beside pressing its controls, by mouse and key.

`gallery.py` uses every control once by itself. Here stands what it cannot know of: a
drag, a stroke, one thing after another. All are done in this order, in the page of all
figures; the figure's snapshot tells what changed.
"""

from collections.abc import Callable

from playwright.sync_api import Locator

Act = Callable[[Locator], None]


def drag_by(handle: str, dx: float, dy: float) -> Act:
    """Return the dragging of an element by so many pixels."""

    def act(figure: Locator) -> None:
        figure.locator(handle).first.hover()
        box = figure.locator(handle).first.bounding_box()
        mouse, x, y = figure.page.mouse, box["x"], box["y"]
        x, y = x + box["width"] / 2, y + box["height"] / 2
        mouse.down()
        mouse.move(x + dx, y + dy, steps=4)
        mouse.up()

    return act


def press(role: str, name: str) -> Act:
    """Return the pressing of a control of this role; no mouse is left over it."""
    return lambda figure: figure.get_by_role(role, name=name, exact=True).evaluate(
        "(one) => one.click()"
    )


def choose(label: str, option: str) -> Act:
    """Return the choosing from a list."""
    return lambda figure: figure.get_by_label(label).select_option(option)


def on_phone(act: Act) -> Act:
    """Return the same on a phone, which is a wide page again when it is looked at."""

    def act_there(figure: Locator) -> None:
        figure.page.set_viewport_size({"width": 390, "height": 800})
        act(figure)

    return act_there


def slide(label: str, key: str) -> Act:
    """Return the pressing of a key at a slider."""
    return lambda figure: figure.get_by_role("slider", name=label).press(key)


# By figure: what is done, in words, and how.
SCRIPTS: dict[str, dict[str, Act]] = {
    "by-hand": {
        "the last step": press("radio", "choose"),
        "one word": choose("Sentence", "seven"),
    },
    "step": {"the state dragged": drag_by(".st-handle", 60, 90)},
    "look-up": {
        "a handle dragged": drag_by(".lu-handle", 40, 60),
        "the other query dragged": drag_by(".lu-handle.query >> nth=1", -40, 60),
        "unfolded": lambda figure: figure.locator(".lu-more > summary").click(),
        "started again": press("button", "Start again"),
    },
    "hero": {"a word chosen on a phone": on_phone(press("button", "neun"))},
    "machine": {
        "values across": press("button", "v · Looking across, and out, 3 by 16")
    },
    "positions": {
        "a row dragged": drag_by(".pos-cells", 0, 60),
        "the other row dragged": drag_by(".pos-chip.second", 0, -60),
        "the rotation": press("radio", "Rotation"),
        "another width": slide("Width d, slider", "Home"),
    },
    "energy": {"the first step": slide("Step", "Home")},
    "forecast-choice": {
        "guessed": press("radio", "one"),
        "sure": press("radio", "sure"),
        "shown": press("button", "Show what happened"),
        "asked again": press("button", "Forecast again"),
    },
    "forecast-curve": {
        "a stroke": drag_by(".fc-plot", 60, 40),
        "another": drag_by(".fc-plot", -90, -50),
    },
}
