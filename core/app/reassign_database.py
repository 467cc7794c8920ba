"""Gives a database to another data folder."""

from core.app.lazy import Configuration
from core.app.models import Models
from core.app.storage import Storage, check_shared, shared_settings
from core.documents.lifecycle.base_removal import deleted_bases
from core.documents.lifecycle.trash import Trash
from core.platform.settings.preferences import share_missing
from core.platform.settings.settings import Settings
from core.platform.sql.data_folder import take_over as assign
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate


def take_over(settings: Settings) -> None:
    """Assigns the database to this data folder, or to the files that several share, and shares what is here."""
    check_shared(settings)
    storage = Storage(Models(Configuration(settings)))
    engine = open_engine(settings.sql_url)
    migrate(engine)
    _share_files(storage)
    if settings.is_shared:
        share_missing(settings.data, shared_settings(engine, settings))
    assign(engine, lambda: storage.owner)
    engine.dispose()


def _share_files(storage: Storage) -> None:
    """What the data folder alone has so far."""
    data, blobs = storage.settings.data, storage.blobs
    if blobs is None:
        return
    storage.files.share()
    for name in ("trash", "versions"):
        Trash(data / name, shared=blobs).store.share()
    deleted_bases(data / "trash", blobs).share()
