"""Embeddings from an OpenAI-compatible endpoint.

Batches, one deadline per request, bounded retries, checked responses.
"""

import logging
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import httpx2
import numpy as np

from core.models.embedding.texts import readable
from core.models.failures import BusyError, retry_after
from core.models.redact import redact
from core.platform.errors import RetryableServiceError, ServiceError
from core.platform.http.guarded_client import open_client

log = logging.getLogger(__name__)
BATCH = 64
"""Texts per request."""
MAX_CHARACTERS = 8_000
"""Characters per text; endpoints reject more than their model reads."""
RETRIES = 2
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 10.0
"""Longer Retry-After values are cut to this."""
REMEMBERED_QUERIES = 256
_TRY_AGAIN = (408, 409, 425, 429)
_BY_STATUS = {401: "key_refused", 403: "key_refused", 404: "not_found", 429: "busy"}


class RemoteEmbedder:
    """Embedder at base_url/embeddings."""

    semantic = True

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        seconds: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`seconds` is the wall-clock limit of one request. An empty key is not sent."""
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._api_key = api_key
        self._model = model
        self._seconds = seconds
        self._sleep = sleep
        self._client = open_client(base_url)
        self._dimension = 0
        """Dimension of all vectors so far; 0 before the first."""
        self._remembered = lru_cache(maxsize=REMEMBERED_QUERIES)(lambda text: self.embed([text])[0])

    @property
    def name(self) -> str:
        """Without the dimension, which only a call to the endpoint would tell."""
        return self._model

    @property
    def dimension(self) -> int:
        """Calls the endpoint once. Raises ServiceError."""
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises ServiceError; a failed call leaves nothing behind."""
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            batch = [readable(text, MAX_CHARACTERS) for text in texts[start : start + BATCH]]
            vectors += self._checked(self._ask(batch), len(batch))
        return vectors

    def embed_query(self, text: str) -> Sequence[float]:
        """Like embed, with a cache of recent queries, because one question searches several indexes."""
        return self._remembered(text)

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> None:
        """One vector of a text is all it makes."""

    def _ask(self, texts: list[str]) -> Any:
        """The endpoint's response as JSON, after retries."""
        attempt = 0
        while True:
            try:
                return self._post(texts)
            except RetryableServiceError as error:
                if attempt >= RETRIES:
                    raise
                wait = error.wait_seconds if isinstance(error, BusyError) else None
                self._sleep(min(FIRST_WAIT_SECONDS * 2**attempt if wait is None else wait, LONGEST_WAIT_SECONDS))
                attempt += 1

    def _post(self, texts: list[str]) -> Any:
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        request = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            response = self._client.post(self._url, json=request, headers=headers, timeout=self._seconds)
        except httpx2.HTTPError as error:
            said = redact(f"{type(error).__name__}: {error}", [self._api_key])
            raise RetryableServiceError("retrieval.embedding_unreachable", reason=said[:200]) from error
        if response.status_code != 200:
            raise self._refusal(response)
        try:
            return response.json()
        except ValueError as error:
            raise ServiceError("retrieval.embedding_malformed", reason="no JSON") from error

    def _refusal(self, response: httpx2.Response) -> ServiceError:
        status = response.status_code
        log.warning("embeddings: %s %s", status, redact(response.text, [self._api_key])[:500])
        key = f"retrieval.embedding_{_BY_STATUS.get(status, 'unavailable' if status >= 500 else 'refused')}"
        if status not in _TRY_AGAIN and status < 500:
            return ServiceError(key, status=status)
        error = BusyError(key, status=status)
        error.wait_seconds = retry_after(response.headers.get("retry-after", ""))
        return error

    def _checked(self, answer: Any, count: int) -> list[Sequence[float]]:
        """Unit vectors in the order of the texts. Raises ServiceError for any other shape."""
        rows = _rows(answer)
        if len(rows) != count:
            raise ServiceError("retrieval.embedding_malformed", reason=f"{len(rows)} / {count}")
        try:
            vectors = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ServiceError("retrieval.embedding_malformed", reason="not numbers of one dimension") from error
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True) if vectors.ndim == 2 else np.zeros(1)
        if not (vectors.size and np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ServiceError("retrieval.embedding_malformed", reason="not finite vectors")
        if self._dimension and vectors.shape[1] != self._dimension:
            reason = f"{vectors.shape[1]} / {self._dimension}"
            raise ServiceError("retrieval.embedding_malformed", reason=reason)
        self._dimension = int(vectors.shape[1])
        units: list[Sequence[float]] = (vectors / lengths).tolist()
        return units


def _rows(answer: Any) -> list[Any]:
    """The embeddings sorted by index, or in their given order without one."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) and "embedding" in row for row in data):
        raise ServiceError("retrieval.embedding_malformed", reason="data")
    order = [row.get("index", place) for place, row in enumerate(data)]
    if sorted(map(str, order)) != sorted(map(str, range(len(data)))):
        raise ServiceError("retrieval.embedding_malformed", reason="index")
    return [row["embedding"] for _, row in sorted(zip(map(int, order), data, strict=True), key=lambda pair: pair[0])]
