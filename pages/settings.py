"""The Settings page: engine, limits, services, and the state of this installation."""

from pages.components.settings.page import draw_settings
from pages.components.shell.frame import require_frame

require_frame()

draw_settings()
