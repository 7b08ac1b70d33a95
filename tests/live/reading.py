"""What a figure shows and says, read by its numbers: tests hold it against Python's."""

import json
import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

# A minus sign, digits in groups of three, a decimal point: "−1 234.5".
NUMBER = re.compile(r"[-−]?\d+(?:[\u202f\u2009\u00a0]\d{3})*(?:\.\d+)?(?:e[-−]\d+)?")
THIN_SPACES = re.compile(r"[\u202f\u2009\u00a0]")


def parse_numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [
        float(THIN_SPACES.sub("", found).replace("−", "-"))
        for found in NUMBER.findall(text)
    ]


def expect_status(place: Page | Locator, text: str, at: int = 0) -> None:
    """Wait until the figure, of several the one `at` this place, says this."""
    expect(place.get_by_role("status").nth(at)).to_contain_text(text)


def press_button(place: Page | Locator, name: str, at: int = 0) -> None:
    place.get_by_role("button", name=name).nth(at).click()


def stored_records(page: Page, prefix: str) -> dict[str, dict]:
    """What the browser keeps under names that begin so, by the rest of the name."""
    stored = page.evaluate("Object.entries(localStorage)")
    records = [pair for pair in stored if pair[0].startswith(prefix)]
    return {key.removeprefix(prefix): json.loads(value) for key, value in records}


def wait_for_status_check(place: Page | Locator, check: Callable[[str], None]) -> None:
    """What the figure says passes this check, now or once it has said its last.

    It says what it draws a little later, and while one change chases the next it waits.
    """
    until = time.monotonic() + 15
    while True:
        try:
            return check(place.get_by_role("status").inner_text())
        except Exception:  # a sentence of another form may not be readable at all
            if time.monotonic() > until:
                raise
        place.get_by_role("status").page.wait_for_timeout(50)


def parse_by_form(form: str, text: str) -> dict[str, float]:
    """The numbers that a text has where a form has names: "key {best} is {gap} ahead".

    "<0.001" and ">0.999" are read as what they are near.
    """
    number = r"(?P<NAME>[<>]?[-−]?\d[\d\u202f]*(?:\.\d+)?)"
    pattern = re.sub(
        r"\\{(\w+)\\}", lambda name: number.replace("NAME", name[1]), re.escape(form)
    )
    found = re.search(pattern, text)
    assert found, f"no “{form}” in “{text}”"
    return {name: parse_numbers(part)[0] for name, part in found.groupdict().items()}


def computed_styles(
    elements: Locator, *properties: str, part: str | None = None
) -> list[dict[str, str]]:
    """What the browser computes of these style properties, an element each.

    With a `part`, "::before" or "::after", it is of what the style puts there.
    """
    return elements.evaluate_all(
        """(all, [names, part]) => all.map((e) => {
          const style = getComputedStyle(e, part);
          return Object.fromEntries(names.map((name) => [name, style[name]]));
        })""",
        [list(properties), part],
    )


def wait_for_transitions(page: Page) -> None:
    """Wait for the end of what changes by degrees, as a bar that grows."""
    page.evaluate(
        """() => Promise.allSettled(
            document.getAnimations().map((animation) => animation.finished))"""
    )


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def name_words(words: list[str]) -> list[str]:
    """What sentences call words: of equal ones the first, the second and so on."""
    found = []
    for place, word in enumerate(words):
        which = ORDINALS[words[:place].count(word)] if words.count(word) > 1 else ""
        found.append(f"{which} {word}".strip())
    return found


def quote_words(words: list[str]) -> list[str]:
    """The same in quotation marks: the first “seven”."""
    return [
        f"the {name[: -len(word)]}“{word}”" if name != word else f"“{word}”"
        for name, word in zip(name_words(words), words, strict=True)
    ]


# One of a list: a name, which may be the word "and", and a number or a share.
LIST_ITEM = re.compile(r"(?:^|, | and )(.+?) \(?([\d.]+)%?\)?(?=, | and |$)")


def check_listed_weights(
    text: str,
    names: list[str],
    weights: list[float],
    *,
    least: float,
    most: int | None = None,
    unit: float = 0.01,
) -> None:
    """Fail unless a list, "four 0.93, the end 0.05", tells the largest of the weights.

    It must have those of at least `least`, `most` of them at most, the largest first,
    each with its name, and as many parts as it has of the `unit` to which it rounds.
    """
    told = LIST_ITEM.findall(text)
    ranked = sorted(zip(weights, names, strict=True), reverse=True)
    wanted = [(name, weight) for weight, name in ranked if weight >= least][:most]
    assert [name for name, _ in told] == [name for name, _ in wanted]
    scale = unit if "%" in text else 1
    found = [scale * float(value) for _, value in told]
    assert found == pytest.approx([weight for _, weight in wanted], abs=0.51 * unit)
