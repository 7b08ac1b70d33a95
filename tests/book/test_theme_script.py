"""The theme's script: what made a long page slow is gone, all else as it came."""

import pytest
from theme_script import CHANGES, calm


def test_each_place_is_changed():
    script = f"a;{';b;'.join(CHANGES)};c"
    assert calm(script) == f"a;{';b;'.join(CHANGES.values())};c"


@pytest.mark.parametrize("place", CHANGES)
@pytest.mark.parametrize("times", [0, 2])
def test_another_version_of_the_script_is_refused(place, times):
    script = "".join(one * (times if one == place else 1) for one in CHANGES)
    with pytest.raises(ValueError, match="no single"):
        calm(script)
