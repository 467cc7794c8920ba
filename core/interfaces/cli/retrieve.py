"""`retrieve QUESTION`: passages found for a question, without an answer."""

from argparse import Namespace

from core.app.services import Services
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import place, say, say_json
from core.interfaces.lookups import found_passages


def run(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    rows = [
        {
            "rank": rank,
            "score": round(passage.score, 4),
            "sources": list(passage.sources),
            "document": passage.document_name,
            "page": passage.chunk.page + 1,
            "section": list(passage.chunk.section),
            "chunk_id": passage.chunk.id,
            "text": passage.chunk.text,
        }
        for rank, passage in enumerate(found_passages(services, base.id, options.question, options.top), start=1)
    ]
    if options.json:
        say_json({"question": options.question, "base": base.name, "passages": rows})
    for row in () if options.json else rows:
        where = place(str(row["document"]), int(str(row["page"])))
        say(f"{row['rank']}. {row['score']}  {where}\n   {str(row['text'])[:300]}")
    return 0
