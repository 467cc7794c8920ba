"""What an upload will take, before anything of it is kept."""

from pathlib import Path
from tempfile import TemporaryDirectory

from core.domain.documents import Effort
from core.ingest.files import display_name
from core.ingest.forecast import Forecaster


def preview_upload(forecaster: Forecaster, name: str, data: bytes, parser: str = "") -> Effort:
    """parser: that of the settings when empty. Raises InputError for a file that cannot be read, ServiceError when
    that could not be found out."""
    with TemporaryDirectory(prefix="graphtalk-") as folder:
        path = Path(folder) / "upload"
        path.write_bytes(data)
        return forecaster.of_file(path, display_name(name), parser)
