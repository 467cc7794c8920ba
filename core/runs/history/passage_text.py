"""Shown passages as text, for programs, terminals and files."""

from collections.abc import Callable, Sequence

from core.documents.model import page_number
from core.search.model import Citation, ShownPassage

Mark = Callable[[str], str]


def bold(words: str) -> str:
    return words if "*" in words else f"**{words}**"


def with_passages(answer: str, passages: Sequence[ShownPassage], citations: Sequence[Citation]) -> str:
    """The answer as Markdown, with the unfolded passages below it."""
    cited = {citation.number: citation for citation in citations}
    shown = [each for each in passages if not each.folded and each.number in cited]
    return "\n\n".join([answer, *(_block(each, cited[each.number]) for each in shown)])


def place_of_passage(passage: ShownPassage, citation: Citation) -> str:
    """Document, page and section."""
    page = page_number(citation.document_name, citation.page)
    return " · ".join(filter(None, (citation.document_name, f"p. {page}" if page else "", *passage.section[-1:])))


def marked_text(passage: ShownPassage, mark: Mark = bold) -> str:
    """The text without empty lines, its marked spans highlighted line by line."""
    pieces, end = list[str](), 0
    for start, stop in passage.marked:
        lines = passage.text[start:stop].split("\n")
        pieces += [passage.text[end:start], "\n".join(mark(line) if line.strip() else line for line in lines)]
        end = stop
    pieces.append(passage.text[end:])
    return "\n".join(line for line in "".join(pieces).split("\n") if line.strip())


def quoted_block(passage: ShownPassage) -> str:
    return "\n".join(f"> {line}  " for line in marked_text(passage).split("\n"))


def _block(passage: ShownPassage, citation: Citation) -> str:
    return f"{place_of_passage(passage, citation)} [{passage.number}]\n\n{quoted_block(passage)}"
