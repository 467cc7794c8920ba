"""A process that reads a file with a MinerU parser, to be killed on the way: `... PARSER URL WORK FILE`."""

import sys
from pathlib import Path

from core.documents.parsing.mineru.cloud import MineruCloudParser
from core.documents.parsing.mineru.server import MineruServerParser
from core.documents.ports.parsing import DocumentParser
from tests.loopback.mineru_cloud_server import TOKEN


class Never:
    def requested(self) -> bool:
        return False


def main(parser: str, url: str, work: str, file: str) -> None:
    made: DocumentParser = (
        MineruCloudParser(TOKEN, url, Path(work), 0.01)
        if parser == "mineru-cloud"
        else MineruServerParser(url, Path(work), 0.01)
    )
    made.parse(Path(file), "a.pdf", "application/pdf", Never(), lambda done, total: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
