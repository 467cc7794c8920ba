"""GraphTalk's frame: the ASGI app that `streamlit run app.py` serves, and the script that every page is drawn in."""

import streamlit as st
from starlette.middleware import Middleware

from pages.components.shell.boundary import log_expected_errors_as_sentences, show_error
from pages.components.shell.environment import prepare_environment
from pages.components.shell.frame import run_frame
from pages.components.shell.identity import SignedIn
from pages.components.shell.lifespan import lifespan
from pages.components.shell.routes import ROUTES
from pages.components.shell.security import OriginGuard, SecurityHeaders, SlowUploads, security_headers

prepare_environment()

if __name__ == "__main__":  # Streamlit runs this file as a script for every page view
    run_frame()
else:  # the server imports it once
    log_expected_errors_as_sentences()
    app = st.App(
        __file__,
        routes=ROUTES,
        middleware=[
            Middleware(SecurityHeaders, headers=security_headers()),
            Middleware(OriginGuard),
            Middleware(SignedIn),
            Middleware(SlowUploads),
        ],
        lifespan=lifespan,
        on_script_error=show_error,
    )
