"""Who is next: nobody keeps others waiting behind all that they ask."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ifonly.serve.exchange import Ask
from ifonly.serve.pool.process import Item
from ifonly.serve.pool.queue import Queue


def item(who: str, since: float) -> Item:
    """A request of a token."""
    reply: Any = None
    return Item(Ask("loans", "explain", b"{}", who=who), reply, 1, since)


def worker(*items: Item) -> Any:
    """A worker that has some requests."""
    return SimpleNamespace(
        items=dict(enumerate(items)), free=not items, careful=False, has=lambda _: True
    )


@given(st.integers(1, 200), st.integers(1, 64))
def test_one_request_goes_before_all_that_another_token_has_waiting(many: int, most: int) -> None:
    queue = Queue(2, 0.0, most)
    busy, free = worker(item("much", 0.0)), worker()
    for place in range(many):
        queue.put(item("much", 1.0 + place))
    queue.put(late := item("little", float(many)))
    assert queue.next(free, [busy, free]) == ([late], 0.0)
    then, _ = queue.next(free, [busy, free])
    assert {one.ask.who for one in then} == {"much"}
    assert len(then) == min(many, most)


def test_of_equals_the_oldest_is_next() -> None:
    queue, free = Queue(1, 0.0, 8), worker()
    queue.put(later := item("a", 2.0))
    queue.put(first := item("b", 1.0))
    assert queue.next(free, [free]) == ([first], 0.0)
    assert queue.next(free, [free]) == ([later], 0.0)
