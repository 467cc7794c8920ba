"""No secret survives in a text that is kept."""

import pytest

from core.models.redact import MARK, KeyFilter, redact


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcDEF0123456789xyz.",
        "Authorization: Bearer abcdef0123456789",
        "tvly-dev-0123456789abcdef",
        '{"api_key": "0123456789abcdef"}',
        "https://user:hunter22@proxy.example:8080/",
        "LLM_API_KEY=0123456789abcdef",
        "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
        "password = correcthorse",
    ],
)
def test_what_has_the_form_of_a_secret_is_removed(text: str) -> None:
    cleaned = redact(text)
    assert MARK in cleaned
    for secret in ("abcDEF", "abcdef", "hunter22", "0123456789", "eyJzdWI", "correcthorse"):
        assert secret not in cleaned


def test_the_configured_key_is_removed_whatever_its_form() -> None:
    assert redact("the key plainwords! is wrong", ["plainwords!"]) == f"the key {MARK} is wrong"


@pytest.mark.parametrize("before", ["API key: ", "Bearer ", '{"password": "', "Incorrect API key provided: "])
def test_a_removed_secret_leaves_one_whole_mark(before: str) -> None:
    cleaned = redact(f"{before}plainwords-01 is wrong", ["plainwords-01"])
    assert cleaned == f"{before}{MARK} is wrong"


def test_ordinary_text_and_short_keys_change_nothing() -> None:
    text = "Ask the board about the risk-based method, e.g. sk-1, in 2024: https://example.org/a@b"
    assert redact(text, ["", "e", "a@b"]) == text


def test_chinese_text_is_untouched() -> None:
    assert redact("水库的密钥管理办法：见第三章。") == "水库的密钥管理办法：见第三章。"


@pytest.mark.parametrize("size", range(1, 30))
def test_an_endpoints_own_key_is_removed_from_a_stream_however_it_is_split(size: int) -> None:
    text = "So the secret-of-ours key secret-of-ours-2 is a secret"
    own = KeyFilter("secret-of-ours")
    pieces = [own.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, own.finish()]) == f"So the {MARK} key {MARK}-2 is a secret"


@pytest.mark.parametrize("key", ["", "so"])
def test_without_a_key_of_some_length_a_stream_passes_as_it_is(key: str) -> None:
    own = KeyFilter(key)
    assert [own.feed("so"), own.feed(" it is"), own.finish()] == ["so", " it is", ""]
