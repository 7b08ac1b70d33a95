"""A plane with handles that are dragged, and boxes in which they can be typed."""

import re

from drawing import wait_until_drawn
from playwright.sync_api import Locator, Page


def find_handle(place: Page | Locator, name: str) -> Locator:
    """The handle of "Query 1" or of "Pattern 2"."""
    return place.get_by_role("button", name=re.compile(rf"^{name} at"))


def handle_position(place: Page | Locator, name: str) -> list[float]:
    """Where a handle stands, as it says."""
    label = find_handle(place, name).get_attribute("aria-label")
    found = re.search(r"at \((.*?), (.*?)\)", label).groups()
    return [float(x.replace("−", "-")) for x in found]


def coordinate_box(place: Page | Locator, label: str) -> Locator:
    """A box for a coordinate, in the part of the figure that opens."""
    details = place.locator("details[class$=coordinates]")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    return place.get_by_label(label, exact=True)


def centre_of(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_handle(page: Page, name: str, right: float, up: float) -> None:
    """Drag a handle by so many pixels."""
    x, y = centre_of(find_handle(page, name))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y - up / 2)
    page.mouse.move(x + right, y - up, steps=5)
    page.mouse.up()
    wait_until_drawn(page)


def swipe_finger(page: Page, *spots: tuple[float, float]) -> None:
    """A finger goes from spot to spot and is lifted: `page.touchscreen` only taps."""
    finger = page.context.new_cdp_session(page)
    for i, (x, y) in enumerate(spots):
        points = [{"x": x, "y": y}]
        kind = "touchMove" if i else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
