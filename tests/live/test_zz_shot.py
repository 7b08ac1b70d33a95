import os
from attnlab.live import Machine


def test_shot(show):
    W = [(1100, False), (800, False), (688, False), (390, True)]
    for w, d in W:
        for i, s in enumerate(
            os.environ.get("STEPS", "encoder.weights.1,encoder.out").split(",")
        ):
            page = (
                show(Machine(step=s, cell=[1, 1]), width=w, dark=d, height=900)
                if False
                else show(Machine(step=s, cell=[1, 1]), width=w, dark=d)
            )
            page.wait_for_selector(".ma-table td")
            page.wait_for_timeout(400)
            fig = page.locator("figure")
            print(w, s, fig.bounding_box())
            fig.screenshot(path=f"/tmp/m/s-{w}-{i}.png")
            print(page.locator(".attnlab-status").text_content())
