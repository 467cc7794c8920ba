"""Extremes of a column in the table of the likeliest row and in one such table of each other document."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.documents.model import Chunk
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings, units_of
from core.rulebook.assessing.table_extremes import Extreme, columns_of, extreme_of, has_rows_under
from core.search.model import Passage

LIKELY_ROWS = 5
"""Best candidates among which a row of the table is looked for that a question for an extreme is about."""

Beside = Callable[[Chunk], Sequence[Chunk]]
"""The chunks before and after one in its document."""


def nothing_beside(chunk: Chunk) -> Sequence[Chunk]:
    """No chunks, for passages whose document cannot be read."""
    del chunk
    return ()


@dataclass(frozen=True, slots=True)
class ComparedTables:
    """Tables of some passages, compared for one question."""

    question: str
    units: Sequence[QuotableSpan]
    passages: Sequence[Passage]
    told: Sequence[frozenset[str]]
    """Terms of each passage and its headings."""
    beside: Beside
    readings: Readings

    def compared(self, likeliest: Sequence[QuotableSpan], rows: Sequence[QuotableSpan]) -> tuple[Extreme, ...]:
        """likeliest: units, of which the first row determines the table; rows: all rows, likeliest first."""
        row = next((unit for unit in likeliest if unit in rows), None)
        best = self._beside(row) if row else None
        return (best, *self._elsewhere(best, rows)) if best else ()

    def _beside(self, row: QuotableSpan) -> Extreme | None:
        """Return the extreme of the row's table; None if the table continues in the passage before or after."""
        found = extreme_of(self.question, row, self.units, self.passages, self.told[row.passage])
        if found is None:
            return None
        passage = self.passages[row.passage]
        around = [replace(passage, chunk=chunk) for chunk in self.beside(passage.chunk)]
        return None if has_rows_under(found.columns, units_of(around, self.readings), around) else found

    def _elsewhere(self, best: Extreme, rows: Sequence[QuotableSpan]) -> list[Extreme]:
        found = {self._document(best.rows[0]): best}
        for row in rows:
            if self._document(row) in found or best.column not in columns_of(row, self.passages):
                continue
            if (other := self._beside(row)) and other.column == best.column:
                found[self._document(row)] = other
        return list(found.values())[1:]

    def _document(self, row: QuotableSpan) -> str:
        return self.passages[row.passage].chunk.document_id
