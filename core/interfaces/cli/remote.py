"""Commands against a running app (`--server URL`), over its HTTP interface; the key is in GRAPHTALK_API_KEY."""

import json
import os
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from core.graph.patterns import relation_pattern
from core.interfaces.cli.arguments import DEFAULT_BASE, files_below, missing
from core.interfaces.cli.ask import exit_status
from core.interfaces.cli.console import note, place, progress, say, say_json, table
from core.interfaces.cli.records import print_rows
from core.platform.errors import ConfigurationError, InputError, ServiceError

KEY = "GRAPHTALK_API_KEY"
_TIMEOUT = httpx2.Timeout(60.0, read=120.0)
_POLL_SECONDS = 0.5
_AT_ONCE = 200
"""Largest page of a list."""
_UNSETTLED = ("queued", "running")


def run(options: Namespace) -> int:
    """Raises AppError, with what the server says."""
    command = _COMMANDS.get(".".join(options.command))
    if command is None:
        raise InputError("cli.server.command", known=", ".join(name.split(".")[0] for name in _COMMANDS))
    with _connected(options.server) as api:
        return command(api, options)


class _Api:
    def __init__(self, client: httpx2.Client) -> None:
        self._client = client

    def get(self, path: str, **params: str | int) -> Any:
        return self._checked(self._client.get(path, params=params)).json()

    def all(self, path: str) -> list[dict[str, Any]]:
        """All entries of a paginated list."""
        found = list[dict[str, Any]]()
        while more := self.get(path, skip=len(found), limit=_AT_ONCE):
            found += more
        return found

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        return self._checked(self._client.post(path, json=body)).json()

    def upload(self, path: str, file: Path, fields: Mapping[str, str]) -> httpx2.Response:
        with file.open("rb") as opened:
            return self._client.post(path, files={"file": (file.name, opened)}, data=dict(fields))

    def delete(self, path: str) -> None:
        self._checked(self._client.delete(path))

    @contextmanager
    def events(self, path: str, body: Mapping[str, object]) -> Iterator[Iterator[dict[str, Any]]]:
        """Data of server-sent events as they arrive."""
        with self._client.stream("POST", path, json=body, headers={"Accept": "text/event-stream"}) as answer:
            if answer.is_error:
                answer.read()
            self._checked(answer)
            lines = (line[5:] for line in answer.iter_lines() if line.startswith("data:"))
            yield map(json.loads, lines)

    def _checked(self, answer: httpx2.Response) -> httpx2.Response:
        if answer.is_error:
            raise ServiceError("cli.server.refused", status=answer.status_code, detail=detail_of(answer))
        return answer


def detail_of(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase


@contextmanager
def _connected(server: str) -> Iterator[_Api]:
    address, key = urlsplit(server), os.environ.get(KEY, "").strip()
    if address.scheme not in ("http", "https") or not address.hostname or address.username:
        raise ConfigurationError("cli.server.address")
    if not key or not key.isascii():
        raise ConfigurationError("cli.server.key", name=KEY)
    base_url = f"{server.rstrip('/')}/api/v1"
    try:
        with httpx2.Client(base_url=base_url, timeout=_TIMEOUT, headers={"Authorization": f"Bearer {key}"}) as client:
            yield _Api(client)
    except httpx2.HTTPError as error:
        raise ServiceError("cli.server.unreachable", server=f"{address.scheme}://{address.netloc}") from error


def _base(api: _Api, name: str) -> dict[str, Any]:
    """The named base, or the only one, or the default one."""
    bases = api.all("/bases")
    wanted = name or DEFAULT_BASE
    found = bases[0] if len(bases) == 1 and not name else next((b for b in bases if b["name"] == wanted), None)
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
    if options.json:
        say_json({"question": options.question, "base": base["name"], "passages": found["passages"]})
        return 0
    for rank, it in enumerate(found["passages"], start=1):
        say(f"{rank}. {it['score']}  {place(it['document'], it['page'])}\n   {it['text'][:300]}")
    return 0


def _list_documents(api: _Api, options: Namespace) -> int:
    listed = api.all(f"/bases/{_base(api, options.kb)['id']}/documents")
    names = ("id", "name", "status", "pages", "chunks", "entities")
    if options.json:
        say_json([{name: document[name] for name in names} for document in listed])
    else:
        table(names, [[document[name] for name in names] for document in listed])
    return 0


def _delete_document(api: _Api, options: Namespace) -> int:
    document = api.get(f"/documents/{options.id}")
    api.delete(f"/documents/{options.id}")
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
        answer = api.upload(path, file, fields)
        refused = detail_of(answer) if answer.is_error else ""
    except OSError as error:
        refused = str(error)
    if not refused:
        return dict(answer.json())
    note(f"{file}: {refused}")
    return {"name": file.name, "status": "failed", "error": refused}


def _settled(api: _Api, row: dict[str, Any]) -> dict[str, Any]:
    """Waits until the app has read the document; there is no time limit."""
    while row["status"] in _UNSETTLED:
        time.sleep(_POLL_SECONDS)
        row = api.get(f"/documents/{row['id']}")
    names = ("name", "status", "id", "pages", "chunks", "entities", "error")
    return {name: row[name] for name in names if name in row}


_COMMANDS: dict[str, Callable[[_Api, Namespace], int]] = {
    "ask.run": _ask,
    "retrieve.run": _retrieve,
    "ingest.run": _ingest,
    "documents.list_documents": _list_documents,
    "documents.delete_document": _delete_document,
    "kg.stats": _stats,
    "kg.search": _search_graph,
    "records.bases": _bases,
}
"""By the target of the command on this machine."""
