"""What Chroma is imported without is there again for everybody else."""

import subprocess
import sys

IMPORTS = """
import sys
import core.search.index.chroma_index
unused = [name for name in ("grpc", "rich", "httpx._main", "jsonschema") if name in sys.modules]
import jsonschema, overrides
from chromadb.utils.embedding_functions.schemas import validate_config_schema
try:
    validate_config_schema({"dimension": "none"}, "cohere")
except (jsonschema.ValidationError, ValueError):
    print("checked")
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
class Base:
    def ask(self, question: str) -> str: ...
try:
    class Broken(Base):
        @overrides.override
        def ask(self, question: int) -> str: ...
except TypeError:
    print(unused, OTLPSpanExporter.__module__)
"""


def test_chroma_leaves_no_trace_of_how_it_was_imported() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["checked", "[]", "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"]
