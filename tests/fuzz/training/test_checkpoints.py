import tempfile
from pathlib import Path

import torch
from fuzzing import ODD_TEXT, REFUSED, attempt, fuzz, sizes
from hypothesis import given
from hypothesis import strategies as st

from attnlab.training.checkpoints import (
    average_checkpoints,
    checkpoint_path,
    epoch_path,
    load_checkpoint,
    random_state,
    save_checkpoint,
    set_random_state,
    write_atomically,
)

SETTINGS = {"steps": 3, "data": 1, "model": "m", "lr": 0.1}
CPU = torch.device("cpu")


@st.composite
def damage(draw: st.DrawFn, whole: bytes) -> bytes:
    """The bytes of a file cut short, changed in places, or others altogether."""
    kind = draw(st.sampled_from(["cut", "change", "change", "other", "none"]))
    if kind == "cut":
        return whole[: draw(st.integers(0, len(whole) - 1))]
    if kind == "other":
        return draw(st.one_of(st.binary(), ODD_TEXT.map(str.encode)))
    broken = bytearray(whole)
    if kind == "change":
        for place in draw(st.lists(st.integers(0, len(whole) - 1), min_size=1)):
            broken[place] = draw(st.integers(0, 255))
    return bytes(broken)


def a_checkpoint(folder: Path) -> Path:
    """A checkpoint of three epochs, with the weights after each."""
    path = folder / "model.pt"
    weights = {"w": torch.arange(3.0), "n": torch.tensor(3)}
    history = {"epochs": [{}] * 3}
    save_checkpoint(path, {"settings": SETTINGS, "model": weights, "history": history})
    for epoch in (1, 2, 3):
        save_checkpoint(epoch_path(path, epoch), {"w": epoch * weights["w"]})
    return path


@fuzz(save_checkpoint, load_checkpoint, epoch_path)
@given(
    data=st.data(),
    settings=st.dictionaries(
        st.sampled_from(list(SETTINGS)), st.one_of(ODD_TEXT, st.integers())
    ),
)
def test_a_broken_checkpoint_is_refused(data, settings):
    with tempfile.TemporaryDirectory() as folder:
        path = a_checkpoint(Path(folder))
        whole = path.read_bytes()
        broken = data.draw(damage(whole))
        path.write_bytes(broken)
        saved = attempt(load_checkpoint, path, {**SETTINGS, **settings})
        if saved is not REFUSED:
            assert {**SETTINGS, **settings} == SETTINGS
            if broken == whole:
                assert saved["model"]["w"].tolist() == [0.0, 1.0, 2.0]
        assert path.read_bytes() == broken


@fuzz(average_checkpoints)
@given(data=st.data(), last=sizes(1, 4), which=st.integers(0, 3))
def test_the_mean_of_the_last_epochs(data, last, which):
    with tempfile.TemporaryDirectory() as folder:
        path = a_checkpoint(Path(folder))
        hurt = path if which == 0 else epoch_path(path, which)
        whole = hurt.read_bytes()
        broken = data.draw(damage(whole))
        hurt.write_bytes(broken)
        mean = attempt(average_checkpoints, path, last)
        if mean is not REFUSED:
            assert 1 <= last <= 3
            if broken == whole:
                factor = sum(range(4 - last, 4)) / last
                wanted = factor * torch.arange(3.0)
                torch.testing.assert_close(mean["w"], wanted)


@fuzz(write_atomically, checkpoint_path)
@given(name=ODD_TEXT, contents=st.binary())
def test_a_file_is_written_whole_or_not_at_all(name, contents):
    with tempfile.TemporaryDirectory() as folder:
        if ".." in name or name.startswith("/"):
            return
        path = attempt(
            checkpoint_path, f"{folder}/{name}", errors=(ValueError, OSError)
        )
        if path is REFUSED:
            return
        errors = (ValueError, OSError)
        if attempt(write_atomically, path, contents, errors=errors) is not REFUSED:
            assert path.read_bytes() == contents
        assert not list(Path(folder).rglob("*.part"))


@fuzz(random_state, set_random_state)
@given(seed=st.integers(0, 2**63 - 1))
def test_a_random_state_comes_back(seed):
    torch.manual_seed(seed)
    state = random_state(CPU)
    first = torch.rand(2)
    set_random_state(state, CPU)
    assert torch.equal(torch.rand(2), first)
