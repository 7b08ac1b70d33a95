"""Where the browser comes from, when it is there and when it is not."""

from attnlab import browser


def pretend(monkeypatch, present, root=False):
    """A machine with these programs; returns the list of what is run on it."""
    ran = []
    monkeypatch.setattr(
        browser.shutil,
        "which",
        lambda name: f"/bin/{name}" if name in present else None,
    )
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0 if root else 1000, False)
    monkeypatch.setattr(browser.Path, "exists", lambda path: True)

    def run(command, check):
        ran.append(command)
        if command[:2] == ["apt-get", "install"]:
            present.add("chromium")

    monkeypatch.setattr(browser.subprocess, "run", run)
    return ran


def test_the_one_on_the_path_is_taken(monkeypatch):
    ran = pretend(monkeypatch, {"google-chrome"})
    assert browser.find_browser() == "/bin/google-chrome"
    assert ran == []


def test_apt_is_asked_where_it_may_be(monkeypatch):
    ran = pretend(monkeypatch, {"apt-get"}, root=True)
    assert browser.find_browser() == "/bin/chromium"
    assert [command[0] for command in ran] == ["apt-get", "apt-get"]


def test_otherwise_playwright_installs_its_own(monkeypatch):
    ran = pretend(monkeypatch, {"apt-get"})
    assert browser.find_browser() is None
    assert ran[0][1:] == ["-m", "playwright", "install", "chromium"]
