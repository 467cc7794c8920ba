"""The built-in engine: every task runs its rule."""

from collections.abc import Iterator

from core.models.meter import Meter, stop_if_over
from core.models.ports import BUILT_IN
from core.models.tasks import Output, Request, Task, TextTask


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
        """The rules call the tools, one step at a time."""

    def pause(self) -> None:
        """The rules never rest."""

    def resume(self) -> None:
        """There is nothing to resume."""
