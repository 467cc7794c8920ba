"""Chat: questions, answers with citations, and the run beside them."""

from pages.components.chat_page import draw_chat
from pages.components.chat_state import keep_thread
from pages.components.chat_threads import thread_list
from pages.components.frame import require_frame, room_sidebar
from pages.components.services import services

require_frame()

keep_thread()
with room_sidebar():
    thread_list(services().threads)
draw_chat()
