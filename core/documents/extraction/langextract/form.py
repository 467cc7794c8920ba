"""LangExtract's prompt and answer format for the classes of a base: brief, with one example; answers are untrusted."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from langextract.core.data import ExampleData, Extraction
from langextract.core.exceptions import FormatParseError
from langextract.core.format_handler import FormatHandler
from langextract.prompting import PromptTemplateStructured, QAPromptGenerator
from langextract.resolver import Resolver, ResolverParsingError

from core.documents.extraction.span_alignment import SoughtName, is_name
from core.models.fences import without_model_tags
from core.models.prompt_files import FOLDER
from core.models.thinking import without_thinking
from core.platform.errors import ServiceError
from core.platform.plain_text import storable

RELATION = "RELATION"
SOURCE, TARGET = "from", "to"
LONGEST_RELATION = 80
MOST_NAMES = 2_000
"""Maximum names per answer."""
_MARK = re.compile(r"^([QA]):", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Stated:
    relation: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class ListedNames:
    """Names and relations that a model listed, not yet located in the text; each name once, in the model's order."""

    names: tuple[SoughtName, ...]
    relations: tuple[Stated, ...]


class CompactFormat(FormatHandler):
    """JSON without blanks and empty attributes. In answers, values that are not text are skipped, not errors."""

    def __init__(self) -> None:
        super().__init__(use_fences=True)

    def format_extraction_example(self, extractions: list[Extraction]) -> str:
        items = [
            {it.extraction_class: it.extraction_text}
            | ({f"{it.extraction_class}{self.attribute_suffix}": it.attributes} if it.attributes else {})
            for it in extractions
        ]
        return json.dumps({self.wrapper_key: items}, ensure_ascii=False, separators=(",", ":"))

    def parse_output(self, text: str, *, strict: bool | None = None) -> Sequence[Mapping[str, Any]]:
        try:
            items = super().parse_output(without_thinking(text), strict=strict)
        except RecursionError as error:
            raise FormatParseError("too deep") from error
        return [self._tidy(item) for item in items[:MOST_NAMES]]

    def _tidy(self, item: Mapping[str, Any]) -> dict[str, Any]:
        kind, words = item.get("extraction_class"), item.get("extraction_text")
        if isinstance(kind, str) and isinstance(words, str):
            item = {kind: words, f"{kind}{self.attribute_suffix}": item.get("attributes")}
        suffix = self.attribute_suffix
        return {
            key: value
            for key, value in item.items()
            if (isinstance(value, dict) if key.endswith(suffix) else isinstance(value, str) and value.strip())
        }


class ExtractionForm:
    """Prompts for one set of classes in one language, and parsing of their answers."""

    def __init__(self, types: Sequence[str], language: str) -> None:
        self._allowed = {name.casefold(): name for name in types}
        handler = CompactFormat()
        description = _description().replace("{types}", ", ".join(types))
        template = PromptTemplateStructured(description, _examples(language, types))
        self._prompts = QAPromptGenerator(template, handler, examples_heading="Example")
        self._resolver = Resolver(format_handler=handler)

    def prompt(self, text: str) -> str:
        """The text without anything that looks like the format's own markers."""
        text = without_model_tags(text)
        if "Q:" in text or "A:" in text:  # looked for first: the pattern takes milliseconds on a whole unit
            text = _MARK.sub(r"\1.", text)
        return str(self._prompts.render(text))

    def written(self, answer: ListedNames) -> str:
        """The answer as a model would write it; read() is the inverse."""
        names = [{name.type: name.text} for name in answer.names]
        relations = [
            {RELATION: each.relation, f"{RELATION}_attributes": {SOURCE: each.source, TARGET: each.target}}
            for each in answer.relations
        ]
        return json.dumps({"extractions": [*names, *relations]}, ensure_ascii=False)

    def read(self, answer: str) -> ListedNames:
        """Raises ServiceError if the answer does not have the format; names of other classes are dropped."""
        try:
            found = self._resolver.resolve(answer, suppress_parse_errors=False)
        except ResolverParsingError as error:
            raise ServiceError("llm.invalid_output") from error
        names: dict[str, SoughtName] = {}
        relations: list[Stated] = []
        for item in found:
            text = _one_line(item.extraction_text)
            kind = self._allowed.get(item.extraction_class.strip().casefold())
            if kind and is_name(text):
                names.setdefault(text, SoughtName(text, kind))
            elif item.extraction_class == RELATION and 0 < len(text) <= LONGEST_RELATION:
                relations += _stated(text, item.attributes or {})
        return ListedNames(tuple(names.values()), tuple(dict.fromkeys(relations)))


def _stated(relation: str, ends: Mapping[str, object]) -> list[Stated]:
    source, target = ends.get(SOURCE), ends.get(TARGET)
    if not isinstance(source, str) or not isinstance(target, str):
        return []
    return [Stated(relation, _one_line(source), _one_line(target))]


def _one_line(text: str) -> str:
    plain = text if text.isprintable() else storable(_CONTROL.sub(" ", text))
    return " ".join(plain.split())


def _examples(language: str, types: Sequence[str]) -> list[ExampleData]:
    """An example in the document's language with the requested classes; none if it would show no class."""
    example = _known_examples()["zh" if language.startswith("zh") else "en"]
    names = [Extraction(kind, name) for kind, name in example["names"] if kind in types]
    listed = {name.extraction_text for name in names}
    relations = [
        Extraction(RELATION, relation, attributes={SOURCE: source, TARGET: target})
        for relation, source, target in example["relations"]
        if {source, target} <= listed
    ]
    return [ExampleData(example["text"], [*names, *relations])] if names else []


@cache
def _description() -> str:
    return (FOLDER / "extraction" / "description.md").read_text(encoding="utf-8").strip()


@cache
def _known_examples() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "extraction" / "examples.json").read_text(encoding="utf-8"))
    return found
