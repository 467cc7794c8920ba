"""`rebuild-index` and `doctor`: repair and self-check."""

from argparse import Namespace

from core.bootstrap import Services
from core.commands.bases import existing_base
from core.commands.console import note, say
from core.selfcheck import check


def rebuild_index(services: Services, options: Namespace) -> int:
    bases = [existing_base(services, options.kb)] if options.kb else services.library.bases()
    for base in bases:
        services.rebuild_index(base.id)
        say(f"{base.name}: {services.chunk_index.count(base.id, 'chunks')} chunks indexed")
    return 0


def doctor(services: Services, options: Namespace) -> int:
    del options
    findings = check(services.settings)
    for finding in findings:
        (say if finding.ok else note)(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.sentence}")
    say(f"ok    Engine: {services.llm.engine}; embeddings: {services.embedder.name}")
    for base in services.library.bases():
        say(f"ok    {base.name}: {len(services.library.documents(base.id))} documents")
    return 0 if all(finding.ok for finding in findings) else 1
