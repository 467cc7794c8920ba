"""The training loop of both networks."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from benchmarks.output import say_line

Part = TypeVar("Part")
LEAST_RATE = 0.02
"""Of the full rate, at the end."""
SAID_STEPS, MEAN_STEPS = 20, 50


def lower_precision() -> torch.autocast:
    """Compute in 16 bits where the processor does: elsewhere that takes many times as long."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported())


def train(
    optimizer: torch.optim.Optimizer,
    steps: Iterator[Sequence[Part]],
    learn: Callable[[Part], float],
    minutes: float,
    warm_up_steps: int,
) -> None:
    """Train for so many minutes; the rate falls with the time that is left.

    learn: adds the gradient of one part of a step and returns its loss; a thread learns from a part on its own.
    """
    rates = [group["lr"] for group in optimizer.param_groups]
    learnt = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    begun, mean = time.monotonic(), 0.0
    with ThreadPoolExecutor(2) as threads:
        for step, parts in enumerate(steps, 1):
            elapsed = (time.monotonic() - begun) / 60 / minutes
            if elapsed >= 1:
                break
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, step / warm_up_steps) * max(LEAST_RATE, 1 - elapsed)
            losses = list(threads.map(learn, parts))
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            mean += (sum(losses) / len(losses) - mean) / min(step, MEAN_STEPS)
            if step % SAID_STEPS == 0:
                say_line(f"step {step}, loss {mean:.3f}, {elapsed:.0%} of the time")
