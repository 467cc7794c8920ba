"""`retrieve QUESTION`: passages found for a question, without an answer."""

from argparse import Namespace

from core.app.services import Services
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import place, say, say_json


def run(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    hits = services.search.retriever.graph(base.id, options.question, options.top)
    scores = {hit.chunk_id: hit for hit in hits}
    rows = [
        {
            "rank": rank,
            "score": round(scores[passage.chunk.id].score, 4),
            "sources": list(scores[passage.chunk.id].sources),
            "document": passage.document_name,
            "page": passage.chunk.page + 1,
            "section": list(passage.chunk.section),
            "chunk_id": passage.chunk.id,
            "text": passage.chunk.text,
        }
        for rank, passage in enumerate(services.library.passages.get(list(scores)), start=1)
    ]
    if options.json:
        say_json({"question": options.question, "base": base.name, "passages": rows})
    for row in () if options.json else rows:
        where = place(str(row["document"]), int(str(row["page"])))
        say(f"{row['rank']}. {row['score']}  {where}\n   {str(row['text'])[:300]}")
    return 0
