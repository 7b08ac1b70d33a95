"""What the tests of the live figures wait for."""

from playwright.sync_api import Page


def redrawn(page: Page) -> None:
    """Wait until what was done before is drawn, however busy the machine.

    Figures draw in the frame after a change, or after a new width was seen.
    """
    page.evaluate(
        """async () => {
            for (let frame = 0; frame < 3; frame++) {
              await new Promise((done) => requestAnimationFrame(done));
            }
            await new Promise((done) => setTimeout(done));
        }"""
    )
