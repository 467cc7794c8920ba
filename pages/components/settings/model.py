"""Model settings: provider, address, key and timeouts, tested before saving; model servers found on this machine."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.models.providers import PROVIDERS, LookedAt, Presence
from core.platform.settings.settings import bounds, choices
from pages.components.settings.fields import Changes, keep, origin, remove_button, said, secret_field, tested
from pages.components.settings.this_machine import this_machine
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services
    from core.platform.settings.settings import Settings

_FOUND = "settings-local-found"
Use = Callable[[str, str], None]
"""(base URL, model) -> None"""
ICONS = {Presence.MODELS: ":material/check_circle:", Presence.NOBODY: ":material/remove:"}
"""Icons by presence; any other one is shown as a warning."""
NAMES = (
    "LLM_BASE_URL",
    "LLM_MODEL",
    "LLM_OTHER_MODELS",
    "LLM_API_KEY",
    "LLM_OUTPUT",
    "LLM_TEMPERATURE",
    "LLM_CALL_SECONDS",
    "LLM_ANSWER_SECONDS",
)
_URL, _MODEL, _KEY = "settings-llm-url", "settings-llm-model", "settings-llm-key"
_STORED = "settings-llm-stored"
"""Address and model that were stored when the form was filled in with them."""
_TEST = "settings-llm-test"
"""Set when the form was filled in by code and should be tested at once."""


def model_section(services: "Services") -> None:
    _engine_now(services)
    said("model")
    if not services.settings.is_shared:  # each data folder has models of its own
        this_machine(services)
    _providers()
    _local_models(services, _fill_and_test)
    below_local = st.container()
    settings = services.settings
    _follow_stored(settings.llm_base_url, settings.llm_model)
    has_key = bool(settings.llm_api_key.get_secret_value())
    with st.form("settings-model", border=False):
        left, right = st.columns([3, 2])
        base_url = left.text_input(t("settings.model.base_url"), key=_URL, placeholder="https://…/v1")
        model = right.text_input(t("settings.model.name"), key=_MODEL)
        others = st.text_input(
            t("settings.model.others"), settings.llm_other_models, help=t("settings.model.others_help")
        )
        key = secret_field(t("settings.model.key"), has_key, _KEY)
        answering = _answering_fields(settings)
        with st.container(horizontal=True):
            wants_test = st.form_submit_button(t("settings.test"), icon=":material/network_check:")
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
    changes = _changes(services, base_url, model, key) | {"LLM_OTHER_MODELS": others.strip()} | answering
    if wants_test:
        tested(lambda: _answered(services, changes))
    if st.session_state.pop(_TEST, False):
        with below_local:
            tested(lambda: _answered(services, changes))
    if wants_save:
        keep(services, changes, "model", _KEY)
    remove_button(services, "LLM_API_KEY", has_key, "model")
    origin(services, NAMES, "model")


def _follow_stored(base_url: str, model: str) -> None:
    """Fill in the stored address and model whenever they change; what is typed stays until then."""
    if st.session_state.get(_STORED) != (base_url, model) or _URL not in st.session_state:
        st.session_state[_STORED] = base_url, model
        _fill(base_url, model)


def _answering_fields(settings: "Settings") -> dict[str, str | None]:
    """Output format and timeouts."""
    outputs = choices("llm_output")
    left, right = st.columns(2)
    output = left.selectbox(
        t("settings.model.output"),
        outputs,
        outputs.index(settings.llm_output),
        format_func=lambda form: t(f"settings.model.output_{form}"),
        help=t("settings.model.output_help"),
    )
    coldest, warmest = map(float, bounds("llm_temperature"))
    temperature = right.number_input(
        t("settings.model.temperature"),
        coldest,
        warmest,
        settings.llm_temperature,
        0.1,
        help=t("settings.model.warmth"),
    )
    left, right = st.columns(2)
    patience, longest = bounds("llm_call_seconds"), bounds("llm_answer_seconds")
    call = left.number_input(t("settings.model.call_seconds"), *patience, int(settings.llm_call_seconds))
    answer = right.number_input(t("settings.model.answer_seconds"), *longest, int(settings.llm_answer_seconds))
    return {
        "LLM_OUTPUT": output,
        "LLM_TEMPERATURE": str(temperature),
        "LLM_CALL_SECONDS": str(call),
        "LLM_ANSWER_SECONDS": str(answer),
    }


def _engine_now(services: "Services") -> None:
    engine = services.llm.engine
    if engine == "built-in":
        st.info(t("settings.model.built_in"), icon=":material/bolt:")
    else:
        key = "settings.model.in_use_here" if services.settings.local_model else "settings.model.in_use"
        st.info(t(key, name=markdown_of(engine)), icon=":material/neurology:")


def _providers() -> None:
    """Presets that fill in address and model; nothing is stored before Save."""
    with st.container(horizontal=True, vertical_alignment="center", key="settings-providers"):
        st.caption(t("settings.model.providers"), width="content")
        for provider in PROVIDERS:
            st.button(
                provider.name, key=f"provider-{provider.name}", on_click=_fill, args=(provider.base_url, provider.model)
            )
        st.button(t("settings.model.none"), key="provider-none", on_click=_fill, args=("", ""))


def _fill(base_url: str, model: str) -> None:
    st.session_state[_URL] = base_url
    st.session_state[_MODEL] = model


def _fill_and_test(base_url: str, model: str) -> None:
    _fill(base_url, model)
    st.session_state[_TEST] = True


def _changes(services: "Services", base_url: str, model: str, key: str) -> dict[str, str | None]:
    """A new address drops the stored key unless it is typed again; another endpoint replaces a local model."""
    settings, base_url, model = services.settings, base_url.strip(), model.strip()
    changes: dict[str, str | None] = {"LLM_BASE_URL": base_url, "LLM_MODEL": model}
    if key or base_url != settings.llm_base_url:
        changes["LLM_API_KEY"] = key
    if settings.local_model and (key or (base_url, model) != (settings.llm_base_url, settings.llm_model)):
        changes["LOCAL_MODEL"] = ""
    return changes


def _answered(services: "Services", changes: Changes) -> str:
    name, seconds = services.try_model(changes)
    if name == "built-in":
        return t("settings.model.test_built_in")
    return t("settings.model.answered", name=markdown_of(name), seconds=f"{seconds:.1f}")


def _local_models(services: "Services", use: Use) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="settings-local"):
        if st.button(t("settings.local.look"), icon=":material/search:", key="settings-local-look"):
            with st.spinner(t("settings.local.looking")):
                st.session_state[_FOUND] = services.look_for_models()
        st.caption(t("settings.local.promise"), width="content")
    found: tuple[LookedAt, ...] = st.session_state.get(_FOUND, ())
    if not found:
        return
    with st.container(border=True, key="settings-local-found-list"):
        for looked in found:
            _server(looked, use)


def _server(looked: LookedAt, use: Use) -> None:
    server = looked.server
    icon = ICONS.get(looked.presence, ":material/warning:")
    words = t(f"settings.local.{looked.presence}", count=len(looked.models))
    st.markdown(f"{icon} **{markdown_of(server.name)}** `{server.address}` {words}")
    if not looked.models:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = t("settings.local.model", name=server.name)
        model = st.selectbox(label, looked.models, key=f"settings-local-{server.port}", label_visibility="collapsed")
        st.button(
            t("settings.local.use"),
            key=f"settings-local-use-{server.port}",
            on_click=use,
            args=(server.base_url, model),
            width="content",
        )
