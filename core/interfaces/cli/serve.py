"""`serve`: the app in the browser, without a copy of the repository."""

import os
import runpy
import sys
from argparse import Namespace
from pathlib import Path

from core.platform.settings.settings import Settings

_APP = Path(__file__).parents[3] / "app.py"


def run(settings: Settings, options: Namespace) -> int:
    """Hands this process over to `streamlit run`; returns when it is stopped."""
    os.environ["GRAPHTALK_DATA"] = str(settings.data.resolve())
    sys.argv = ["streamlit", "run", str(_APP), "--server.port", str(options.port)]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
