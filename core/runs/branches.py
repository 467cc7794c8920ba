"""The runs of a thread as a tree: an edited or repeated question is a sibling; one branch is shown."""

from collections.abc import Mapping, Sequence

from core.runs.model import Run


def path_to(parents: Mapping[str, str], end: str) -> list[str]:
    """Ids from the first question to the end, given the parent of each run; starts at the oldest known run."""
    path: list[str] = []
    seen: set[str] = set()
    while end in parents and end not in seen:
        path.append(end)
        seen.add(end)
        end = parents[end]
    return path[::-1]


class Branches:
    def __init__(self, runs: Sequence[Run]) -> None:
        """Oldest first. A run whose parent is gone counts as a first question."""
        self._runs = {run.id: run for run in runs}
        self._children: dict[str, list[Run]] = {}
        for run in runs:
            self._children.setdefault(self._parent(run), []).append(run)

    def run(self, run_id: str) -> Run | None:
        return self._runs.get(run_id)

    def path(self, leaf_id: str) -> list[Run]:
        """The branch that ends with the run; without one of this id, the branch of the newest run."""
        if leaf_id not in self._runs:
            leaf_id = next(reversed(self._runs), "")
        parents = {run.id: run.parent_id for run in self._runs.values()}
        return [self._runs[run_id] for run_id in path_to(parents, leaf_id)]

    def wordings(self, run: Run) -> list[Run]:
        """One run for each wording of the question at the place of the given run, oldest wording first."""
        by_question: dict[str, Run] = {}
        for sibling in self._siblings(run):
            by_question[sibling.question] = sibling
        by_question[run.question] = run
        return list(by_question.values())

    def versions(self, run: Run) -> list[Run]:
        """The runs with the same wording at the same place, oldest first."""
        return [sibling for sibling in self._siblings(run) if sibling.question == run.question]

    def leaf_below(self, run: Run) -> Run:
        """The last run of the branch that continues the run with the newest question at each place."""
        while children := self._children.get(run.id):
            run = children[-1]
        return run

    def _siblings(self, run: Run) -> list[Run]:
        return self._children[self._parent(run)]

    def _parent(self, run: Run) -> str:
        return run.parent_id if run.parent_id in self._runs else ""
