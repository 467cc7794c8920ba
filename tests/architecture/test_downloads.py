"""Every file that pages offer is made on behalf of who asks for it."""

import ast
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pages"


def test_downloads_are_made_on_click() -> None:
    found = {
        f"{path.relative_to(PAGES)}:{call.lineno}": _data(call)
        for path in PAGES.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "download_button"
    }
    assert found
    assert {place: made for place, made in found.items() if made not in ("made_on_click", "made")} == {}


def _data(call: ast.Call) -> str:
    """The function that makes what is downloaded, or the name of its result."""
    data = call.args[1]
    if isinstance(data, ast.Call) and isinstance(data.func, ast.Name):
        return data.func.id
    return data.id if isinstance(data, ast.Name) else ast.dump(data)
