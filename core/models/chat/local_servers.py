"""Finds servers of models at their usual ports on this machine, their models, and the size of these."""

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import httpx2

from core.models.chat.endpoint_config import EndpointConfig
from core.models.providers import LOCAL_SERVERS, OLLAMA, LocalServer, LookedAt, Presence
from core.platform.http.guarded_client import open_client

SECONDS = 2.0
"""Time limit of a server's whole answer; all servers are queried in parallel."""
SIZE_SECONDS = 0.5
"""Time limit of a server that a question waits for."""
MAX_BYTES = 500_000
MOST_MODELS = 100
LONGEST_NAME = 200
_WRITTEN_SIZE = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6})?)(?P<unit>[KMBT])")
_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_EMBEDS = "embed"
"""Part of the names of models that make vectors and cannot chat."""


def look_around(servers: Sequence[LocalServer] | None = None) -> tuple[LookedAt, ...]:
    """Results in the order of the servers; LOCAL_SERVERS if none are given."""
    wanted = LOCAL_SERVERS if servers is None else servers
    with ThreadPoolExecutor(max_workers=max(1, len(wanted))) as pool:
        return tuple(pool.map(_looked_at, wanted))


def _looked_at(server: LocalServer) -> LookedAt:
    """One server, queried without credentials, redirects or proxies."""
    with open_client(server.base_url, MAX_BYTES) as client:
        try:
            answer = client.get(f"http://{server.address}{server.listing}", timeout=SECONDS)
        except httpx2.ConnectError:
            return LookedAt(server, Presence.NOBODY)
        except httpx2.TimeoutException:
            return LookedAt(server, Presence.SLOW)
        except httpx2.HTTPError:
            return LookedAt(server, Presence.OTHER)
    if answer.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return LookedAt(server, Presence.KEY)
    names = _names(answer.content) if answer.status_code == HTTPStatus.OK else None
    if names is None:
        return LookedAt(server, Presence.OTHER)
    return LookedAt(server, Presence.MODELS if names else Presence.NO_MODELS, names)


def parameters_of(config: EndpointConfig) -> int | None:
    """Parameters of its model, as llama.cpp or Ollama lists them; 0 where they are not listed, None if not yet."""
    headers = {"Authorization": f"Bearer {config.api_key}"} if config.api_key else {}
    with open_client(config.base_url, MAX_BYTES) as client:

        def listed_at(address: str) -> int | None:
            try:
                answer = client.get(address, headers=headers, timeout=SIZE_SECONDS)
            except httpx2.HTTPError:
                return None
            return _listed_size(config.model, answer)

        count = listed_at(f"{config.base_url}/models")
        return listed_at(f"{config.base_url.removesuffix('/v1')}{OLLAMA.listing}") or 0 if count == 0 else count


def _listed_size(wanted: str, answer: httpx2.Response) -> int | None:
    models = [model for model in _models(answer.content) or () if isinstance(model, dict)]
    named = [model for model in models if _name(model) in (wanted, f"{wanted}:latest")] or models
    model = named[0] if len(named) == 1 else {}
    meta = model.get("meta", model.get("details", {}))
    if answer.status_code != HTTPStatus.OK or meta is None:  # as while the model is loaded
        return None
    return _size(meta) if isinstance(meta, dict) else 0


def _size(meta: Mapping[str, Any]) -> int:
    """Parameters as llama.cpp lists them, or as Ollama does: "3.2B", "268.10M"."""
    count, written = meta.get("n_params"), _WRITTEN_SIZE.fullmatch(str(meta.get("parameter_size")))
    if written:
        return int(float(written["number"]) * _UNITS[written["unit"]])
    return count if isinstance(count, int) else 0


def _names(body: bytes) -> tuple[str, ...] | None:
    models = _models(body)
    if models is None:
        return None
    found = dict.fromkeys(name for model in models if (name := _name(model)))
    return tuple(sorted(found, key=lambda name: _EMBEDS in name.casefold())[:MOST_MODELS])


def _models(body: bytes) -> list[Any] | None:
    """Models of Ollama's list or that of OpenAI's protocol; None for anything else."""
    try:
        listed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    models = listed.get("data", listed.get("models")) if isinstance(listed, dict) else None
    return models if isinstance(models, list) else None


def _name(model: Any) -> str:
    """Empty for what cannot be the name of a model, and for one that its server says cannot chat."""
    if not isinstance(model, dict):
        return ""
    abilities = model.get("capabilities")
    if isinstance(abilities, list) and abilities and "completion" not in abilities:
        return ""
    name = model.get("id", model.get("name"))
    usable = isinstance(name, str) and name.isprintable() and 0 < len(name.strip()) <= LONGEST_NAME
    return str(name).strip() if usable else ""
