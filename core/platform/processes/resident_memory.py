"""How much memory a process holds, where the system tells."""

import os
from pathlib import Path

_STATM_RESIDENT = 1


def resident_megabytes(process_id: int | str = "self") -> float:
    """0 where the system does not tell, or the process has ended."""
    try:
        pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[_STATM_RESIDENT])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
