"""`backup FILE`, `restore FILE` and `take-over`: the data folder as a whole."""

import signal
from argparse import Namespace

from core.app.backup import restore_backup, write_backup
from core.app.backup import take_over as assign_database
from core.app.services import Services
from core.interfaces.cli.console import counted, note, say
from core.platform.settings.settings import Settings, load_settings

_ENDINGS = ("SIGTERM", "SIGHUP")
"""Windows has no SIGHUP, which comes from a terminal that is closed."""


def backup(settings: Settings, options: Namespace) -> int:
    for each in signal.Signals:
        if each.name in _ENDINGS and signal.getsignal(each) is not signal.SIG_IGN:  # as with nohup
            signal.signal(each, signal.default_int_handler)  # as Ctrl-C, which leaves nothing half written
    number = write_backup(settings, options.file)
    say(f"{options.file}: {counted(number, 'file')}, {options.file.stat().st_size / 1_000_000:,.1f} MB")
    note("It holds your documents, chats and keys: keep it where only you can read it.")
    return 0


def restore(settings: Settings, options: Namespace) -> int:
    """Builds the word index; vectors follow while the app runs."""
    restore_backup(settings, options.file)
    with Services(load_settings(settings.data)) as services:
        bases = services.library.bases.all()
        for base in bases:
            services.search.rebuild(base.id)
            say(f"{base.name}: {counted(len(services.library.documents.of_base(base.id)), 'document')}")
    say(f"Restored into {settings.data}")
    return 0


def take_over(settings: Settings, options: Namespace) -> int:
    del options
    assign_database(settings)
    say(f"The database belongs to {settings.data.resolve()} now.")
    return 0
