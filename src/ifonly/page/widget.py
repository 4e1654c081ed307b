"""The page in a notebook: messages to the contract's handler, and no port."""

from __future__ import annotations

import json
from typing import Any

from ifonly.answers import Answers
from ifonly.errors import MissingExtra
from ifonly.explainer import Explainer
from ifonly.page.assets import MODULE, STYLE, assets
from ifonly.page.start import start_of, start_of_answers

try:
    import anywidget
    import traitlets

    from ifonly.contract import Handler
except ModuleNotFoundError as error:
    raise MissingExtra(error.name or "anywidget", "page") from None


class PageWidget(anywidget.AnyWidget):
    """The page over a handler of the contract, in Jupyter, VS Code or marimo.

    A message `{id, name, body}` asks a route of the contract; the reply is `{id, status, body}`,
    where the body is that of the service: a reply, or a problem document.

    Parameters
    ----------
    handler
        What answers.
    start
        The start object of the page; see `start_of`.
    """

    _esm = assets()[MODULE].text
    _css = assets()[STYLE].text
    start = traitlets.Dict().tag(sync=True)

    def __init__(self, handler: Handler, start: dict[str, Any]) -> None:
        super().__init__(start=start)
        self._handler = handler
        self.on_msg(self._answer)

    def _answer(self, widget: Any, asked: Any, buffers: Any) -> None:
        """Reply to a question of the page."""
        status, text = self._handler.respond(str(asked.get("name")), asked.get("body") or {})
        self.send({"id": asked.get("id"), "status": status, "body": json.loads(text)})


def page_of_explainer(explainer: Explainer, rows: Any, **options: Any) -> PageWidget:
    """The page about rows, asked of an explainer."""
    handler = Handler(explainer)
    return PageWidget(handler, start_of(handler.space, rows, **options))


def page_of_answers(answers: Answers, **shown: Any) -> PageWidget:
    """The page about the rows of answers, asked of what they were found with."""
    source = answers.asked_further()
    explainer = Explainer._of(source.setting, source.method)
    return PageWidget(Handler(explainer), start_of_answers(answers, **shown))
