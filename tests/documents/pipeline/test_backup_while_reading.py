"""A backup that is made while a document is being read: where it is restored, the document is read to the end."""

import os
from argparse import Namespace
from contextlib import closing
from pathlib import Path

import pytest

from core.app.backup import write_backup
from core.documents.model import Stage
from core.interfaces.cli.backups import restore
from core.platform.settings.settings import load_settings
from tests.documents.pipeline.test_kill_each_stage import Plant, plants
from tests.fakes.ingestion import is_in_stage

__all__ = ["plants"]
STAGES = (Stage.PARSE, Stage.EXTRACT, Stage.LINK)


@pytest.mark.slow
@pytest.mark.usefixtures("plain_main")
@pytest.mark.timeout(400)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_backup_made_within_a_stage_goes_on_elsewhere_to_the_same_knowledge_base(
    plants: tuple[Plant, Plant], tmp_path: Path
) -> None:
    calm, rough = plants
    calm.finish()
    pipes = {stage: rough.hold(stage) for stage in STAGES}
    rough.start()
    for stage, pipe in pipes.items():
        rough.wait_for(lambda at=stage: is_in_stage(rough.work, at))  # type: ignore[misc]
        write_backup(rough.services.settings, tmp_path / f"{stage}.zip")
        assert is_in_stage(rough.work, stage)
        with pipe.open("rb"):  # the process, which waits for it, goes on
            pipe.unlink()
    rough.wait_for(rough.is_visible)
    rough.wait_for(lambda: not rough.work.folder.exists())
    assert rough.contents() == calm.contents(), "a backup disturbs nothing"
    for stage in STAGES:
        assert restore(load_settings(tmp_path / stage), Namespace(file=tmp_path / f"{stage}.zip")) == 0
        with closing(Plant(tmp_path / stage)) as restored:
            assert not restored.is_visible()
            restored.finish()
            assert restored.contents() == calm.contents()
