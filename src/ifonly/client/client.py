"""The client: what `Explainer` is to a model, this is to a server."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self
from urllib.parse import quote
from uuid import uuid4

from ifonly.answers import Answers
from ifonly.client.connection import Connection
from ifonly.client.job import Job
from ifonly.client.join import answers_of
from ifonly.client.request import request_of, rows_of
from ifonly.client.splitting import in_parts
from ifonly.errors import OptionError, ServiceError, options
from ifonly.space import Space
from ifonly.space.table.frame import Frame


class Client:
    """A model behind a server, asked as an `Explainer` is asked; `ifonly.connect` makes one.

    Parameters
    ----------
    connection
        Where the server is, and who asks it.
    model
        The name of the model; None: the server's first.
    """

    def __init__(self, connection: Connection, model: str | None = None) -> None:
        self._connection = connection
        self._name = model
        self._base = "/v1" if model is None else f"/v1/models/{quote(model, safe='')}"

    def __repr__(self) -> str:
        return (
            f"<Client of {self._connection.url}{f', model {self._name!r}' if self._name else ''}>"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    @cached_property
    def model(self) -> dict[str, Any]:
        """What the server says of the model: features, classes, rules, fingerprints, limits."""
        reply = self._connection.ask("POST", f"{self._base}/model", {"space": True})
        if not isinstance(reply, dict) or not isinstance(reply.get("space"), dict):
            raise ServiceError(
                f"{self._connection.url} does not describe a model.", "Is it a server of ifonly?"
            )
        return reply

    @cached_property
    def space(self) -> Space:
        """The features of the model and what changing them costs, as `Explainer` has them."""
        return Space.from_plain(self.model["space"])

    def explain(self, rows: Frame, **question: Any) -> Answers:
        """k answers to each row, the very ones that `Explainer.explain` has on the server.

        More rows than the server accepts in a request are sent in several.

        Parameters
        ----------
        rows
            The rows to explain: a frame with the columns of the server's data, of which values
            that these do not have are refused.
        **question
            The parameters of `Explainer.explain`, but for `robust`, `workers`, `progress` and
            `keep`, which cannot be sent.

        Returns
        -------
        Answers
            Like saved answers, they have no model: `plan` works without causes; ask `why` of the
            client.

        Raises
        ------
        IfonlyError
            What `Explainer.explain` raises; or a `ServiceError`, where the server cannot be
            reached or does not accept the request.
        """
        request = {**self._request(rows, question), "as_answers": True}
        return answers_of(in_parts(self._explained, request, self.model["limits"]), rows)

    def submit(self, rows: Frame, **question: Any) -> Job:
        """Have many rows answered by a job, which goes on when this process has ended.

        Parameters
        ----------
        rows, **question
            As for `explain`.

        Returns
        -------
        Job

        Raises
        ------
        IfonlyError
            As for `explain`.
        """
        request = {**self._request(rows, question), "as_answers": True}
        said = self._connection.ask("POST", f"{self._base}/jobs", request, _key())
        return Job(self._connection, str(said["id"]), rows)

    def jobs(self) -> list[dict[str, Any]]:
        """The progress of every job of this token.

        Returns
        -------
        list of dict
            `Job.progress()` of each, with its 'id'.
        """
        listed: list[dict[str, Any]] = self._connection.ask("GET", "/v1/jobs")["jobs"]
        return listed

    def job(self, id: str, rows: Frame | None = None) -> Job:  # noqa: A002
        """A job that was submitted before, by this token.

        Parameters
        ----------
        id
            `job.id`, which is also in `jobs()`.
        rows
            The rows that it was submitted with; without them, `save` its result as a file.

        Returns
        -------
        Job
        """
        return Job(self._connection, id, rows)

    def why(self, rows: Frame, **question: Any) -> list[dict[str, Any]]:
        """What prevents answers for each row, as the contract has it.

        Parameters
        ----------
        rows, **question
            As for `explain`.

        Returns
        -------
        list of dict
            With 'sentence', 'conflict', 'rejected' and more.

        Raises
        ------
        IfonlyError
            As for `explain`.
        """
        rows_found: list[dict[str, Any]] = self.ask("why", **self._request(rows, question))["rows"]
        return rows_found

    def reasons(
        self, rows: Frame, *, codes: list[dict[str, str]] | None = None, **question: Any
    ) -> list[dict[str, Any]]:
        """The principal reasons of each row's outcome, as the contract has it.

        Parameters
        ----------
        rows, **question
            As for `explain`.
        codes
            The table of reasons: a dictionary per line, with feature, when, code and sentence.

        Returns
        -------
        list of dict
            With 'reasons', 'together', 'gap' and more.

        Raises
        ------
        IfonlyError
            As for `explain`.
        """
        request = {**self._request(rows, question), "codes": codes or []}
        rows_found: list[dict[str, Any]] = self.ask("reasons", **request)["rows"]
        return rows_found

    def predict(self, rows: Frame, **asked: Any) -> dict[str, Any]:
        """What the model says of rows as they are, as the contract has it.

        Parameters
        ----------
        rows
            As for `explain`.
        **asked
            `threshold`, and `curve` and `points`: a feature whose other values are tried.

        Returns
        -------
        dict
            'classes', 'rows' with a prediction and its scores each, and 'curves'.

        Raises
        ------
        IfonlyError
            As for `explain`.
        """
        return self.ask("predict", rows=rows_of(self.space, rows), **asked)

    def ask(self, route: str, **request: Any) -> dict[str, Any]:
        """The reply of any route of the contract, as JSON has it.

        Parameters
        ----------
        route
            Its name, such as 'check_rules', 'plan' or 'distribution'.
        **request
            The fields of the request, as JSON has them.

        Returns
        -------
        dict

        Raises
        ------
        IfonlyError
            The request is refused, or the server cannot be reached.
        """
        reply: dict[str, Any] = self._connection.ask("POST", f"{self._base}/{route}", request)
        return reply

    def _explained(self, request: dict[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = self._connection.ask(
            "POST", f"{self._base}/explain", request, _key()
        )
        return reply

    def _request(self, rows: Frame, question: dict[str, Any]) -> dict[str, Any]:
        return options(request_of)(self.space, rows, **question)


def _key() -> str:
    return uuid4().hex


def connect(
    url: str, token: str | None = None, *, model: str | None = None, timeout: float = 300.0
) -> Client:
    """A model behind a server of ifonly, to be asked as an `Explainer` is.

    Nothing is sent before the first question.

    Parameters
    ----------
    url
        Where the server is: 'https://host:port'.
    token
        The token that the server knows, where it asks for one.
    model
        The name of the model, where the server has several; by default its first.
    timeout
        How many seconds a reply may take.

    Returns
    -------
    Client

    Raises
    ------
    OptionError
        The address, the token or the timeout cannot be used.

    Examples
    --------
    >>> connect("https://models.example:8443", token="secret", model="loans")
    <Client of https://models.example:8443, model 'loans'>
    """
    given: Any = timeout
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise OptionError(f"timeout is {given!r}.", "It is a number of seconds.")
    given = model
    if given is not None and not isinstance(given, str):
        raise OptionError(f"model is {given!r}.", "It is the name of a model of the server.")
    return Client(Connection(url, token, timeout), model)
