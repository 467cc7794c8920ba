"""The Chat page: questions, answers with citations, and the run beside them."""

from pages.components.chat.page import draw_chat
from pages.components.chat.state import keep_thread
from pages.components.chat.threads import thread_list
from pages.components.shell.frame import require_frame, room_sidebar
from pages.components.shell.services import services

require_frame()

keep_thread()
with room_sidebar():
    thread_list(services().threads)
draw_chat()
