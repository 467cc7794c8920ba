"""The built-in engine: every task is done by its rule."""

from collections.abc import Iterator

from core.llm.limits import stop_if_over
from core.ports import BUILT_IN, Meter
from core.tasks import Output, Request, Task, TextTask


class OfflineLlm:
    engine = BUILT_IN

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        stop_if_over(meter)
        return task.rule(request)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        stop_if_over(meter)
        for piece in task.rule(request):
            yield piece
            stop_if_over(meter)

    def agent(self) -> None:
        """The rules call the tools, step by step."""
