"""The stylesheet, the script and the pictures load nothing from anywhere and agree with the HTML."""

import re
import tomllib
from pathlib import Path

from pages.components.shell.style import SHEETS, stylesheet

ROOT = Path(__file__).parents[2]
COMPONENTS = ROOT / "pages" / "components"


def test_nothing_is_loaded_from_elsewhere() -> None:
    script = (COMPONENTS / "run" / "live_html.js").read_text(encoding="utf-8")
    for text in (*map(stylesheet, SHEETS), script):
        assert not re.search(r"https?:|@import|url\(", text)
    for picture in (ROOT / "assets").glob("*.svg"):
        assert set(re.findall(r"https?://[^\"']+", picture.read_text())) <= {"http://www.w3.org/2000/svg"}


def test_the_shipped_settings_reach_no_other_host() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["browser"]["serverAddress"] == "localhost"
    assert settings["server"]["address"] == "127.0.0.1"
    assert not re.search(r"https?:", (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_every_class_of_our_html_has_a_style() -> None:
    styled = set(re.findall(r"\.(gt-[a-z-]+)", stylesheet()))
    ours = [
        path for room in ("chat", "run", "shell", "memory", "settings") for path in (COMPONENTS / room).glob("*.py")
    ]
    used = {name for path in ours for name in re.findall(r"(?<!-)gt-[a-z-]+", path.read_text(encoding="utf-8"))}
    assert used - styled == set()


def test_light_and_dark_are_both_designed() -> None:
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert set(theme["light"]) == set(theme["dark"])
    assert set(theme["light"]["sidebar"]) == set(theme["dark"]["sidebar"])
