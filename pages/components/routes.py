"""Every route beside Streamlit's own. Each that gives something out checks its token: no session reaches here."""

from starlette.routing import BaseRoute

from pages.components.form_route import FORM_ROUTES
from pages.components.graph_route import GRAPH_ROUTES
from pages.components.live_route import LIVE_ROUTES
from pages.components.page_images import IMAGE_ROUTES
from pages.components.room_route import ROOM_ROUTES

ROUTES: tuple[BaseRoute, ...] = (*IMAGE_ROUTES, *FORM_ROUTES, *LIVE_ROUTES, *GRAPH_ROUTES, *ROOM_ROUTES)
