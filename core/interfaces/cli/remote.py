"""Commands against a running app (`--server URL`), over its HTTP interface; the key is in GRAPHTALK_API_KEY."""

import json
import os
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from core.graph.patterns import relation_pattern
from core.interfaces.cli.arguments import DEFAULT_BASE, files_below, missing
from core.interfaces.cli.ask import exit_status, say_passages
from core.interfaces.cli.console import note, place, progress, say, say_json, table
from core.interfaces.cli.records import LISTED, print_rows
from core.platform.errors import ConfigurationError, InputError, NotFoundError, ServiceError, Translated
from core.platform.sql.columns import normalized

KEY = "GRAPHTALK_API_KEY"
_TIMEOUT = httpx2.Timeout(60.0, read=120.0)
_POLL_SECONDS = 0.5
_TRIES = 10
"""Of a request that comes too soon for the server's limit of requests a minute."""
_WAIT_SECONDS = 60.0
"""Longest wait before the next try."""
_AT_ONCE = 200
"""Largest page of a list."""
_UNSETTLED = ("queued", "running")


def run(options: Namespace) -> int:
    """Raises AppError, with what the server says."""
    target = ".".join(options.command)
    if target not in _COMMANDS:
        raise InputError("cli.server.command", known=", ".join(words for words, _ in _COMMANDS.values()))
    _, command = _COMMANDS[target]
    with _client(options.server) as client:
        return command(_Api(client, options.server), options)


class _Api:
    """Each method raises ServiceError."""

    def __init__(self, client: httpx2.Client, server: str) -> None:
        self._client = client
        self._reaching = Translated(
            lambda _: ServiceError("cli.server.unreachable", server=server),
            httpx2.HTTPError,
            UnicodeError,  # of a host that cannot be one
        )

    def get(self, path: str, **params: str | int) -> Any:
        return self._data(lambda: self._client.get(path, params=params))

    def all(self, path: str) -> list[dict[str, Any]]:
        """All entries of a paginated list."""
        found = list[dict[str, Any]]()
        while more := self.get(path, skip=len(found), limit=_AT_ONCE):
            found += more
        return found

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        return self._data(lambda: self._client.post(path, json=body))

    def upload(self, path: str, file: Path, fields: Mapping[str, str]) -> Any:
        """Raises OSError, too."""

        def sent() -> httpx2.Response:
            with file.open("rb") as opened:
                return self._client.post(path, files={"file": (file.name, opened)}, data=dict(fields))

        return self._data(sent)

    def delete(self, path: str) -> None:
        self._answer(lambda: self._client.delete(path))

    @contextmanager
    def events(self, path: str, body: Mapping[str, object]) -> Iterator[Iterator[dict[str, Any]]]:
        """Data of server-sent events as they arrive."""
        request = self._client.build_request("POST", path, json=body, headers={"Accept": "text/event-stream"})
        with self._reaching, closing(self._answer(lambda: self._client.send(request, stream=True))) as answer:
            yield (_parsed(line[5:]) for line in _lines(answer.iter_text()) if line.startswith("data:"))

    def _data(self, send: Callable[[], httpx2.Response]) -> Any:
        return _parsed(self._answer(send).text)

    def _answer(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """Sends it again after the time that the server names if it was a request too many."""
        with self._reaching:
            for tries_left in reversed(range(_TRIES)):
                answer = send()
                if answer.is_success:
                    return answer
                answer.read()
                if answer.status_code != 429 or not tries_left:
                    break
                time.sleep(_seconds_to_wait(answer))
        if answer.has_redirect_location:
            raise ServiceError("cli.server.elsewhere", address=answer.headers["Location"])
        raise ServiceError("cli.server.refused", status=answer.status_code, detail=_detail_of(answer))


def _seconds_to_wait(answer: httpx2.Response) -> float:
    said = answer.headers.get("Retry-After", "")
    return min(float(said), _WAIT_SECONDS) if said.isdecimal() else 1.0


def _parsed(text: str) -> Any:
    """Raises ServiceError."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ServiceError("cli.server.foreign") from error


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """Lines that end with a line feed; other ends of lines, as U+2028, may stand within JSON."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from lines


def _detail_of(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase


def _client(server: str) -> httpx2.Client:
    """Raises ConfigurationError."""
    key = os.environ.get(KEY, "").strip()
    if not key or not key.isascii():
        raise ConfigurationError("cli.server.key", name=KEY)
    base_url, headers = f"{server.rstrip('/')}/api/v1", {"Authorization": f"Bearer {key}"}
    with suppress(ValueError, httpx2.InvalidURL):
        address = urlsplit(server)
        if address.scheme in ("http", "https") and address.hostname and not address.username:
            return httpx2.Client(base_url=base_url, timeout=_TIMEOUT, headers=headers)
    raise ConfigurationError("cli.server.address")


def _base(api: _Api, name: str) -> dict[str, Any]:
    """The named base, or the only one, or the default one."""
    bases = api.all("/bases")
    if not bases:
        raise NotFoundError("cli.server.no_base")
    if len(bases) == 1 and not name:
        return bases[0]
    wanted = normalized(name or DEFAULT_BASE)
    found = next((base for base in bases if normalized(base["name"]) == wanted), None)
    if found is None:
        raise missing(name, [str(base["name"]) for base in bases])
    return found


def _ask(api: _Api, options: Namespace) -> int:
    asked = {"question": options.question, "base": _base(api, options.kb)["id"], "workflow": options.workflow}
    asked |= {"thread_id": options.thread or "", "web": options.web}
    finished: dict[str, Any] = {}
    with api.events("/ask", asked) as events:
        for event in events:
            if "answer" in event:
                finished = event
            elif event["type"] == "NodeStarted" and not options.json:
                progress(event["event"]["node"])
    if not finished:
        raise ServiceError("cli.server.broken_off")
    if finished["error"]:
        note(finished["error"])
    if options.json:
        say_json(finished)
    else:
        _say_answer(finished)
    if finished["status"] != "done":
        return 1
    return exit_status(finished["outcome"], finished["degraded"], options.exit_status)


def _say_answer(finished: Mapping[str, Any]) -> None:
    """Prints the answer and its sources, with the text of unfolded passages."""
    say(finished["answer"])
    shown = {it["number"]: it["text"] for it in finished["passages"] if not it["folded"]}
    for cited in finished["citations"]:
        words = shown.get(cited["number"], cited["text"])
        say(f"[{cited['number']}] {place(cited['document'], cited['page'])}: {words}")


def _retrieve(api: _Api, options: Namespace) -> int:
    base = _base(api, options.kb)
    found = api.post(f"/bases/{base['id']}/retrieve", {"query": options.question, "limit": min(options.top, 50)})
    return say_passages(options, base["name"], found["passages"])


def _list_documents(api: _Api, options: Namespace) -> int:
    listed = api.all(f"/bases/{_base(api, options.kb)['id']}/documents")
    return print_rows(options, LISTED, [[document[name] for name in LISTED] for document in listed])


def _delete_document(api: _Api, options: Namespace) -> int:
    path = f"/documents/{quote(options.id, safe='')}"
    document = api.get(path)
    api.delete(path)
    say(f"Deleted {document['name']}. It can be brought back on the Documents page for some days.")
    return 0


def _stats(api: _Api, options: Namespace) -> int:
    base = _base(api, options.kb)
    found = api.get(f"/bases/{base['id']}/graph")
    types = found.pop("types")
    if options.json:
        say_json({"base": base["name"], **found, "types": types})
    else:
        table(("what", "count"), [*found.items(), *types.items()])
    return 0


def _bases(api: _Api, options: Namespace) -> int:
    rows = [(base["id"], base["name"], sum(base["documents"].values())) for base in api.all("/bases")]
    return print_rows(options, ("id", "name", "documents"), rows)


def _search_graph(api: _Api, options: Namespace) -> int:
    path = f"/bases/{_base(api, options.kb)['id']}/graph/entities"
    names = ("id", "name", "type", "mentions", "documents")
    if relation_pattern(options.query):
        statements = path.replace("/entities", "/statements")
        said = api.get(statements, pattern=options.query, limit=min(options.top, _AT_ONCE))
        ends = ("source", "relation", "target")
        return print_rows(options, ends, [tuple(each[name] for name in ends) for each in said])
    found = api.get(path, query=options.query, limit=min(options.top, _AT_ONCE))
    return print_rows(options, names, [tuple(entity[name] for name in names) for entity in found])


def _ingest(api: _Api, options: Namespace) -> int:
    """Sends all files, then waits until the app has read them."""
    if options.dry_run or options.password_stdin:
        raise InputError("cli.server.option")
    base = _base(api, options.kb)
    changed = "replace" if options.replace else "keep_both" if options.keep_both else "ask"
    fields = {"changed": changed, "agree_to_cost": str(bool(options.yes)).lower(), "parser": options.parser}
    sent = [_sent(api, f"/bases/{base['id']}/documents", path, fields) for path in files_below(options.paths)]
    rows = [_settled(api, row) for row in sent]
    if options.json:
        say_json({"base": base["name"], "documents": rows})
    else:
        for row in rows:
            say("  ".join(str(value) for value in row.values() if value != ""))
    return 0 if rows and all(row["status"] == "ready" for row in rows) else 1


def _sent(api: _Api, path: str, file: Path, fields: Mapping[str, str]) -> dict[str, Any]:
    try:
        return dict(api.upload(path, file, fields))
    except (OSError, ServiceError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        note(f"{file}: {reason}")
        return {"name": file.name, "status": "failed", "error": str(reason)}


def _settled(api: _Api, row: dict[str, Any]) -> dict[str, Any]:
    """Waits until the app has read the document, without a limit; if it cannot be asked, the row has the error."""
    try:
        while row["status"] in _UNSETTLED:
            time.sleep(_POLL_SECONDS)
            row = api.get(f"/documents/{row['id']}")
    except ServiceError as error:
        note(f"{row['name']}: {error}")
        row = {**row, "error": str(error)}
    names = ("name", "status", "id", "pages", "chunks", "entities", "error")
    return {name: row[name] for name in names if name in row}


_COMMANDS: dict[str, tuple[str, Callable[[_Api, Namespace], int]]] = {
    "ask.run": ("ask", _ask),
    "ask.retrieve": ("retrieve", _retrieve),
    "ingest.run": ("ingest", _ingest),
    "records.bases": ("bases", _bases),
    "records.list_documents": ("documents list", _list_documents),
    "records.delete_document": ("documents delete", _delete_document),
    "kg.search": ("kg search", _search_graph),
    "kg.stats": ("kg stats", _stats),
}
"""Words and function, by the target of the command on this machine."""
