"""What the tests of the live figures wait for."""

from playwright.sync_api import Page


def redrawn(page: Page) -> None:
    """Wait until what was done before is drawn, however busy the machine.

    Figures draw in the frame after a change, or after a new width was seen; what takes
    them longer is `aria-busy` meanwhile.
    """
    page.evaluate(
        """async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            for (let passed = 0; passed < 3; passed++) await frame();
            while (document.querySelector("[aria-busy=true]")) await frame();
            await frame();
            await new Promise((done) => setTimeout(done));
        }"""
    )
