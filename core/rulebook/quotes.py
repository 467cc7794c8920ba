"""Text as it is quoted, the places on pages that an answer cites, and its quoted table rows."""

from core.rulebook.assessing.citing import NO_PLACES, citations_of, locate
from core.rulebook.assessing.quotable_spans import names_columns, readable
from core.rulebook.assessing.quoted_rows import with_tables

__all__ = ["NO_PLACES", "citations_of", "locate", "names_columns", "readable", "with_tables"]
