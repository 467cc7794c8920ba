"""Models on this machine: download, choice of a GGUF file by its path, options of the engine."""

from typing import TYPE_CHECKING

import streamlit as st

from core.models.local.ports import EngineState, FetchProgress, LocalModel
from core.platform.errors import AppError, CancelledError
from core.platform.settings.settings import bounds
from pages.components.settings.fields import confirm, keep, note_change, origin
from pages.components.shell.boundary import sentence_of, show_error, succeeds
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services

LIMITS = ("LOCAL_MODEL_CONTEXT", "LOCAL_MODEL_THREADS", "LOCAL_MODEL_IDLE_MINUTES")
NAMES = ("LOCAL_MODEL", *LIMITS)
POLL_SECONDS = 1.0
_PATH = "settings-here-path"


def this_machine(services: "Services") -> None:
    with st.container(border=True, key="settings-here"):
        st.markdown(f"**{t('settings.here.title')}**")
        st.caption(t("settings.here.about"))
        for model in services.models.here.store.offered():
            _model(services, model)
        _own_file(services)
        if services.settings.local_model:
            _engine(services)
        origin(services, NAMES, "here")


def _model(services: "Services", model: LocalModel) -> None:
    facts = t(
        "settings.here.facts",
        size=_gigabytes(model.size),
        memory=_gigabytes(model.memory),
        licence=model.licence,
        read=model.read_speed,
        write=model.write_speed,
        measured=model.measured_cores,
        cores=services.models.here.cores,
    )
    st.markdown(f"{markdown_of(model.title)}  \n:small[{markdown_of(facts)}]")
    progress = services.models.here.store.progress(model.name)
    if progress and progress.is_running:
        st.fragment(_progress, run_every=POLL_SECONDS)(services, model)
        return
    if progress and progress.fault and not isinstance(progress.fault, CancelledError):
        show_error(progress.fault)
    with st.container(horizontal=True, vertical_alignment="center", key="settings-here-actions"):
        if model.is_here:
            _here(services, model)
        elif st.button(_get_label(model), type="primary", key="settings-here-get", icon=":material/download:"):
            services.models.here.get(model.name)
            note_change(services, "LOCAL_MODEL")
            st.rerun()


def _get_label(model: LocalModel) -> str:
    if model.fetched:
        return t("settings.here.go_on", done=_megabytes(model.fetched), total=_megabytes(model.size))
    return t("settings.here.get", size=_gigabytes(model.size))


def _progress(services: "Services", model: LocalModel) -> None:
    """Draw the progress of a download; the whole page is redrawn at its end."""
    progress = services.models.here.store.progress(model.name)
    if progress is None or not progress.is_running:
        st.rerun()
    else:
        st.progress(progress.done / progress.total, _words(progress))
        if st.button(t("settings.here.cancel"), key="settings-here-cancel", icon=":material/close:"):
            services.models.here.store.cancel_fetch(model.name)


def _words(progress: FetchProgress) -> str:
    return t("settings.here.fetching", done=_megabytes(progress.done), total=_megabytes(progress.total))


def _here(services: "Services", model: LocalModel) -> None:
    if services.settings.local_model == model.name:
        st.markdown(f":material/check_circle: {t('settings.here.used')}", width="content")
        _stop_button(services)
    elif st.button(t("settings.here.use"), type="primary", key="settings-here-use"):
        _use(services, model.name)
    if st.button(t("settings.here.remove"), key="settings-here-remove", icon=":material/delete:"):
        services.models.here.remove(model.name)
        note_change(services, "LOCAL_MODEL")
        st.rerun()


def _own_file(services: "Services") -> None:
    used = services.settings.local_model
    with st.form("settings-here-file", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        path = st.text_input(
            t("settings.here.path"), key=_PATH, placeholder="/…/model.gguf", help=t("settings.here.path_help")
        )
        wants_use = st.form_submit_button(t("settings.here.use_file"))
    if wants_use and path.strip():
        _use(services, path.strip())
    if used and all(model.name != used for model in services.models.here.store.offered()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/check_circle: {markdown_of(used)} · {t('settings.here.used')}", width="content")
            _stop_button(services)


def _stop_button(services: "Services") -> None:
    if st.button(t("settings.here.stop"), key="settings-here-stop", icon=":material/stop_circle:"):
        _use(services, "")


def _use(services: "Services", model: str) -> None:
    if succeeds(lambda: services.models.here.use(model)):
        note_change(services, "LOCAL_MODEL")
        confirm("model")


def _engine(services: "Services") -> None:
    """Draw the state of the engine and its options."""
    here, settings = services.models.here, services.settings
    status = here.status()
    if status.state is EngineState.FAILED and status.fault:
        st.warning(markdown_of(sentence_of(status.fault)), icon=":material/warning:")
    else:
        words = t(f"settings.here.{status.state}", percent=status.percent, memory=f"{status.megabytes / 1000:.1f}")
        st.caption(words)
    try:
        limits = here.limits(settings.local_model)
    except AppError as error:
        show_error(error)
        return
    context, memory = f"{limits.context:,}", _gigabytes(limits.memory)
    st.caption(t("settings.here.limits", context=context, count=limits.threads, memory=memory))
    with st.expander(t("settings.here.change")), st.form("settings-here-limits", border=False):
        columns = st.columns(3)
        values = [
            column.number_input(
                t(f"settings.here.{name.lower()}"), *bounds(name.lower()), getattr(settings, name.lower())
            )
            for column, name in zip(columns, LIMITS, strict=True)
        ]
        wants_save = st.form_submit_button(t("settings.save"), key="settings-here-save")
    if wants_save:
        keep(services, {name: str(value) for name, value in zip(LIMITS, values, strict=True)}, "model")


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f}"
