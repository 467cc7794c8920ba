"""Which passages a question that compares rows needs: those with the property it compares, and the rest of a table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.rulebook.assessing.compared_words import compared_words, has_unit_of, is_named_for, property_of
from core.rulebook.assessing.quotable_spans import Readings, Shape, reading_of, table_row
from core.rulebook.assessing.table_extremes import Beside
from core.search.model import Passage

MOST_OF_A_TABLE = 12
"""Passages; of a longer table nothing is compared."""
Columns = tuple[str, ...]


def has_what_is_compared(question: str, passage: Passage, readings: Readings) -> bool:
    """Whether the passage has a table with the property that a word of the question alone compares."""
    properties = [property_of(word, question) for word in compared_words(question)]
    if len(properties) != 1 or not properties[0]:
        return False
    names = {name for columns in _tables(passage, readings) for name in columns[1:]}
    return any(is_named_for(properties[0], name) or has_unit_of(properties[0], name) for name in names)


def rest_of_tables(question: str, passages: Sequence[Passage], beside: Beside, readings: Readings) -> list[Passage]:
    """Return the other passages of the tables whose rows the question compares; none of a table that is too long."""
    if not compared_words(question):
        return []
    read, rest = {passage.chunk.id for passage in passages}, list[Passage]()
    for passage in passages:
        found = list(_rest_of(passage, read, beside, readings))
        if len(found) < MOST_OF_A_TABLE:
            rest += found
            read.update(one.chunk.id for one in found)
    return rest


def _rest_of(passage: Passage, read: set[str], beside: Beside, readings: Readings) -> Iterator[Passage]:
    tables, seen, ahead = set(_tables(passage, readings)), {passage.chunk.id}, [passage]
    while ahead and tables and len(seen) <= MOST_OF_A_TABLE:
        for chunk in beside(ahead.pop().chunk):
            other = replace(passage, chunk=chunk)
            if chunk.enabled and chunk.id not in seen and not tables.isdisjoint(_tables(other, readings)):
                seen.add(chunk.id)
                ahead.append(other)
                if chunk.id not in read:
                    yield other


def _tables(passage: Passage, readings: Readings) -> Iterator[Columns]:
    """Yield the names of the columns of each row."""
    for unit in reading_of(passage, readings).units:
        if unit.shape is Shape.ROW and (row := table_row(passage.chunk.text, unit.start, unit.end)):
            yield row[0]
