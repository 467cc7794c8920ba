import ast
import re
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as runner


def _constants(name: str) -> set[str]:
    tree = ast.parse((runner.HERE / f"{name}.py").read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def test_what_is_made_small_is_there() -> None:
    every = [pair for sizes in runner.SIZES.values() for pair in sizes.items()]
    assert {name for name, _ in every} <= set(runner.NAMES)
    missing = [(name, values.keys() - _constants(name)) for name, values in every]
    assert not any(unknown for _, unknown in missing), missing


def test_one_that_fails_keeps_no_other_from_being_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "benchmarks"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    said = "import sys; print('measured', sys.argv[1:]); sys.exit(sys.argv[-1] == 'ner')"
    (package / "__main__.py").write_text(said, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(runner, "DATA", tmp_path)
    assert runner.main(["--small", "ner", "graph"]) == 1
    out = capfd.readouterr().out
    assert "measured ['--small', 'ner']" in out
    assert re.search(r"\| ner \|  \| \d+ \| with status 1 \|", out)
    assert "measured ['--small', 'graph']" in out
    assert re.search(r"\| graph \|  \| \d+ \| well \|", out)
    assert out.rstrip().endswith(runner.not_measured())
    monkeypatch.setattr(runner, "NAMES", ("graph", "scale"))
    assert runner.main([]) == 0
    out = capfd.readouterr().out
    assert "measured ['--short', 'scale']" in out, "all of them are not measured whole"
    assert re.search(r"\| scale \| passages 10000 \| \d+ \| well \|", out)
    assert "| real models |" in out


def test_an_unknown_name_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["zebra"]) == 2
    assert "zebra" in capfd.readouterr().err
    assert "benchmarks.zebra" not in sys.modules
