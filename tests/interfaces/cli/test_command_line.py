"""The command line on the real services: real parser, worker process, indexes and built-in engine.

Most commands run in this process, because a fresh one takes seconds for its imports.
"""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.lifecycle.sample import NAME as SAMPLE
from core.documents.lifecycle.sample import TITLES
from core.interfaces.cli.main import main
from core.platform.settings.settings import load_settings
from tests.loopback.fixtures import model_settings, openai_server
from tests.loopback.openai_server import OpenAiServer

__all__ = ["model_settings", "openai_server"]
ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "assets" / "samples"
HANDBOOK = TITLES["marlow-sound-handbook.pdf"]


def graphtalk(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["--data", str(data), *words]
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # as strict as standard output
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()) as noted:
        status = main(command)
    said.seek(0)
    return subprocess.CompletedProcess(command, status, said.read(), noted.getvalue())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, sample_library: Callable[[Path], None]) -> Path:
    """A data folder with the sample library."""
    data = tmp_path_factory.mktemp("cli")
    sample_library(data)
    return data


def ask(data: Path, question: str, *words: str) -> dict[str, object]:
    done = graphtalk(data, "ask", question, "--kb", SAMPLE, "--json", *words)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize(
    ("question", "document", "page", "words"),
    [
        ("How often is each buoy calibrated?", TITLES["marlow-sound-handbook.pdf"], 1, "90 days"),
        ("What is the main contribution of the KelpNet note?", TITLES["kelpnet-technical-note.pdf"], 1, "KelpNet"),
        ("红色预警由谁批准发布？", TITLES["qingyu-station-manual-zh.pdf"], 2, "林雨晴"),
    ],
)
def test_questions_are_answered_from_the_right_page(
    filled: Path, question: str, document: str, page: int, words: str
) -> None:
    answer = ask(filled, question)
    assert answer["outcome"] == "answered"
    assert words in str(answer["answer"])
    assert "[1]" in str(answer["answer"])
    citations = answer["citations"]
    assert isinstance(citations, list)
    assert (citations[0]["document"], citations[0]["page"]) == (document, page)
    assert len(citations[0]["bbox"]) == 4


def test_the_module_is_the_command(filled: Path) -> None:
    command = [sys.executable, "-m", "core", "--data", str(filled), "ask", "Who developed KelpNet?"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    assert "Lena Vogt" in done.stdout
    assert f"[1] {HANDBOOK}, page 2" in done.stdout


def test_a_question_loads_nothing_that_it_does_not_use(filled: Path) -> None:
    script = (
        "import sys\nfrom core.interfaces.cli.main import main\nassert main(sys.argv[1:]) == 0\n"
        "from core.platform.texts import _to_traditional\nassert not _to_traditional.cache_info().currsize, 'OpenCC'\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in HEAVY or name in PARTS))"
    )
    heavy = (
        "chromadb", "grpc", "yaml", "pandas", "networkx",
        "openai", "langchain", "langchain_openai", "dbos", "alembic", "docvortex", "streamlit",
        "threadpoolctl",
    )  # fmt: skip
    parts = ("langgraph.prebuilt", "core.models.chat.llm")
    script = f"HEAVY, PARTS = {heavy!r}, {parts!r}\n{script}"
    words = ["--data", str(filled), "ask", "Who developed KelpNet?", "--kb", SAMPLE]
    command = [sys.executable, "-c", script, *words]
    for _ in range(2):  # the first one may copy the vectors and try the encoder
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=55)
        assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == ""


def test_without_a_sure_answer_the_nearest_passages_are_printed_and_the_places_of_the_others(filled: Path) -> None:
    done = graphtalk(filled, "ask", "Where was the network KelpNet sold?", "--kb", SAMPLE)
    assert done.stdout.startswith(
        f"The search of “{SAMPLE}” (documents: 4) found no sure answer. These passages come closest.\n\n[1] "
    )
    assert "\n    " in done.stdout, "passages are indented"
    assert "**" in done.stdout, "their nearest sentences are marked"
    answer = ask(filled, "Where was the network KelpNet sold?")
    passages = answer["passages"]
    assert isinstance(passages, list)
    assert [passage["folded"] for passage in passages][:4] == [False, False, False, True]
    assert all(f"[{passage['number']}] " in done.stdout for passage in passages)


def test_a_sure_answer_is_printed_with_the_passage_that_it_stands_in(filled: Path) -> None:
    done = graphtalk(filled, "ask", "How often is each buoy calibrated?", "--kb", SAMPLE)
    assert f"[1] {HANDBOOK}, page 1:\n    " in done.stdout
    assert "Six Lumen buoys stand on a line" in done.stdout


def test_an_answer_names_its_run_and_its_nodes(filled: Path) -> None:
    answer = ask(filled, "Who is the skipper of the Petrel?")
    assert set(answer) == {
        "parts",
        "choices",
        "passages",
        "stands_in",
        "beside",
        "preferences",
        "search_unfinished",
        "assessment",
        "question", "answer", "workflow", "engine", "outcome", "citations", "trace", "usage", "seconds", "run_id",
        "thread_id", "degraded",
    }  # fmt: skip
    trace = answer["trace"]
    assert isinstance(trace, list)
    assert [step["node"] for step in trace][:4] == ["guard", "detect_language", "recall_memory", "plan"]
    assert set(trace[0]) == {
        "node", "attempt", "seconds", "outcome", "model_calls", "prompt_tokens", "completion_tokens",
    }  # fmt: skip


@pytest.mark.parametrize("workflow", list(workflows()))
def test_a_models_calls_and_tokens_are_counted_by_step_and_in_all(
    filled: Path, workflow: str, model_settings: OpenAiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["--data", str(filled), "ask", "Who developed KelpNet?", "--kb", SAMPLE, "--json", "--workflow", workflow])
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    counted = model_settings.counted
    assert answer["engine"] == "loopback-model"
    assert answer["usage"] == {
        "model_calls": len(counted),
        "prompt_tokens": sum(it["prompt_tokens"] for it in counted),
        "completion_tokens": sum(it["completion_tokens"] for it in counted),
        "estimated": False,
    }
    assert counted
    for name in ("model_calls", "prompt_tokens", "completion_tokens"):
        assert sum(step[name] for step in answer["trace"]) == answer["usage"][name]


def test_a_follow_up_in_the_same_thread_is_understood(filled: Path) -> None:
    first = ask(filled, "Who developed KelpNet?")
    second = ask(filled, "And where does it run?", "--thread", str(first["thread_id"]))
    assert second["thread_id"] == first["thread_id"]
    assert "runs on a computer" in str(second["answer"])


@pytest.mark.parametrize("question", ["Who won the football world cup in 1998?", "青屿站的食堂几点开门？"])
def test_what_the_documents_do_not_say_is_not_answered(filled: Path, question: str) -> None:
    answer = ask(filled, question)
    assert answer["outcome"] == "closest"
    assert str(answer["answer"]).startswith(
        (f"The search of “{SAMPLE}” (documents: 4) found no ", f"在“{SAMPLE}”（文档数：4）中没有检索到")
    )
    declined = answer["assessment"]
    assert isinstance(declined, dict)
    assert declined["probability"] < declined["threshold"]
    assert all(reason["key"].startswith("run.declined.") and reason["message"] for reason in declined["reasons"])
    assert declined["reasons"]


def test_retrieve_ranks_the_passage_that_answers_first(filled: Path) -> None:
    done = graphtalk(filled, "retrieve", "depth of buoy L4 in the Ellery Basin", "--kb", SAMPLE, "--json")
    assert done.returncode == 0, done.stderr
    best = json.loads(done.stdout)["passages"][0]
    assert best["document"] == HANDBOOK
    assert "Ellery Basin" in best["text"]


def test_a_lost_vector_folder_is_repaired_from_the_database(filled: Path, tmp_path: Path) -> None:
    data = tmp_path / "copy"
    shutil.copytree(filled, data)
    shutil.rmtree(data / "chroma")
    lost = graphtalk(data, "retrieve", "buoy L4", "--kb", SAMPLE)
    assert lost.returncode == 1
    assert "rebuild-index" in lost.stderr
    assert graphtalk(data, "rebuild-index").returncode == 0
    assert graphtalk(data, "retrieve", "buoy L4", "--kb", SAMPLE).returncode == 0


def test_a_deleted_document_is_found_no_more(filled: Path, tmp_path: Path) -> None:
    data = tmp_path / "copy"
    shutil.copytree(filled, data)
    listed = json.loads(graphtalk(data, "documents", "list", "--kb", SAMPLE, "--json").stdout)
    note = next(row for row in listed if row["name"].startswith("KelpNet"))
    assert graphtalk(data, "documents", "delete", note["id"]).returncode == 0
    found = json.loads(graphtalk(data, "retrieve", "KelpNet layers", "--kb", SAMPLE, "--json").stdout)
    assert all(not row["document"].startswith("KelpNet") for row in found["passages"])
    assert graphtalk(data, "documents", "delete", note["id"]).returncode == 1


def test_the_graph_goes_out_and_comes_in_again(filled: Path, tmp_path: Path) -> None:
    assert graphtalk(filled, "kg", "export", str(tmp_path / "out"), "--kb", SAMPLE).returncode == 0
    nodes = json.loads((tmp_path / "out" / "kg_nodes.json").read_text(encoding="utf-8"))
    edges = json.loads((tmp_path / "out" / "kg_edges.json").read_text(encoding="utf-8"))
    assert json.loads((tmp_path / "out" / "kg_edits.json").read_text(encoding="utf-8")) == []
    assert set(nodes[0]) == {
        "id",
        "name",
        "type",
        "source_doc",
        "char_start",
        "char_end",
        "confidence",
        "page",
        "score",
    }
    assert {"CO_OCCURS_IN", "trained from"} <= {edge["relation"] for edge in edges}
    data = tmp_path / "second"
    assert graphtalk(data, "kg", "import", str(tmp_path / "out"), "--kb", "Imported").returncode == 0
    stats = json.loads(graphtalk(data, "kg", "stats", "--kb", "Imported", "--json").stdout)
    assert stats["entities"] == len(nodes)


def test_ingest_takes_the_files_of_a_graph_for_one(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert graphtalk(filled, "kg", "export", str(out), "--kb", SAMPLE).returncode == 0
    count = len(json.loads((out / "kg_nodes.json").read_text(encoding="utf-8")))
    (out / "kg_nodes.json").rename(out / "nodes (1).json")
    (out / "kg_edges.json").rename(out / "edges (1).json")
    data = tmp_path / "second"
    done = graphtalk(data, "ingest", str(out), "--kb", "Imported", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["documents"]
    assert (row["document"], row["status"], row["entities"]) == ("nodes (1).json, edges (1).json", "ready", count)
    (out / "edges (1).json").unlink()
    half = graphtalk(data, "ingest", str(out), "--kb", "Imported")
    assert half.returncode == 1
    assert "together" in half.stderr


def test_the_graph_agent_gives_its_result_as_one_object(filled: Path) -> None:
    answer = ask(filled, "What is related to KelpNet?", "--workflow", "graph_react")
    calls = answer["tool_calls"]
    assert isinstance(calls, list)
    assert [call["tool"] for call in calls] == ["search_entities", "get_neighbors"]
    assert calls[0] == {"tool": "search_entities", "args": {"query": "KelpNet"}, "call_id": "call_1"}
    assert answer["total_messages"] == 6
    assert answer["token_usage"] == {"prompt": 0, "completion": 0, "total": 0}
    stats = answer["kg_stats"]
    assert isinstance(stats, dict)
    assert set(stats) == {"nodes", "edges", "density"}
    assert stats["nodes"] > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ask", "x", "--kb", "nowhere"), "no knowledge base"),
        (("documents", "delete", "0" * 24), "no longer exists"),
        (("kg", "import", "nowhere"), "kg_nodes.json"),
        (("bench", "ner", "nowhere.jsonl"), "cannot be read"),
    ],
)
def test_a_command_that_cannot_work_says_why_and_fails(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    done = graphtalk(tmp_path / "empty", *words)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_without_documents_it_is_said_how_to_add_some(tmp_path: Path) -> None:
    done = graphtalk(tmp_path, "ask", "How many?")
    assert (done.returncode, done.stdout) == (1, "")
    assert "graphtalk ingest PATH" in done.stderr


def test_of_several_bases_one_has_to_be_named(filled: Path, tmp_path: Path) -> None:
    data = shutil.copytree(filled, tmp_path / "data")
    with Services(load_settings(data)) as services:
        services.library.bases.create("Papers")
    done = graphtalk(data, "documents", "list")
    assert done.returncode == 1
    assert f"“{SAMPLE}”, “Papers”" in done.stderr
    assert "--kb" in done.stderr


def test_files_that_cannot_be_read_fail_with_their_remedy(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "picture.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    done = graphtalk(tmp_path / "data", "ingest", str(tmp_path / "empty.pdf"), str(tmp_path / "picture.pdf"), "--json")
    assert done.returncode == 1
    rows = json.loads(done.stdout)["documents"]
    assert [row["status"] for row in rows] == ["failed", "failed"]
    assert all(row["error"] for row in rows)


@pytest.mark.parametrize("options", [(), ("--json",), ("--dry-run", "--json")])
def test_a_refused_file_whose_name_is_no_text_has_its_row(tmp_path: Path, options: tuple[str, ...]) -> None:
    name = "\udcff.txt"  # as Python reads b"\xff.txt"
    done = graphtalk(tmp_path / "data", "ingest", str(tmp_path / name), *options)
    assert done.returncode == 1
    assert "\ufffd.txt" in done.stdout
    assert "No such file" in done.stdout


def test_doctor_finds_a_sound_installation(tmp_path: Path) -> None:
    done = graphtalk(tmp_path / "data", "doctor")
    assert done.returncode == 0, done.stderr
    assert "built-in" in done.stdout
