"""A client for ``polyfs eval serve``: open, fork and score episodes. Needs Python 3.9 and nothing else.

    from polyfs_eval import Client

    client = Client("http://127.0.0.1:4100")
    with client.open("fix-the-test", seed=1) as episode:
        print(episode.instruction)
        print(episode.call("read_file", path="README.md").text)
        print(episode.score().value)
"""

from __future__ import annotations

import json
import os
import posixpath
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Union

__all__ = [
    "CallResult",
    "Client",
    "Episode",
    "ExecResult",
    "InfraError",
    "PolyfsError",
    "Score",
    "ScoreResult",
    "Task",
]


class PolyfsError(Exception):
    """The server refused a request, or could not be reached."""

    def __init__(self, message: str, status: Optional[int] = None, code: Optional[str] = None):
        super().__init__(message)
        #: The HTTP status; None when there was no answer.
        self.status = status
        #: Such as ``unknown-task``, ``episode-ended`` or ``NOT_FOUND``.
        self.code = code


class InfraError(PolyfsError):
    """There is no score, for a reason that is not the agent's. Leave the episode out of every rate: it is not a 0."""


@dataclass(frozen=True)
class Task:
    id: str
    instruction: str


@dataclass(frozen=True)
class CallResult:
    """The result of a tool, as the agent sees it."""

    text: str
    is_error: bool
    #: The parts of the result as MCP has them; images and the like are only here.
    content: List[Dict[str, Any]]
    structured: Optional[Dict[str, Any]] = None
    #: What has run out: ``calls``, ``turns``, ``tokens``, ``bytes`` or ``memory``. Then all further calls fail.
    exhausted: Optional[str] = None


@dataclass(frozen=True)
class ExecResult:
    #: None when the command did not end by itself.
    exit_code: Optional[int]
    stdout: str
    stderr: str
    #: ``exit``, ``timeout``, ``aborted`` or ``output-limit``.
    ended: str
    #: Output beyond 8 MiB was dropped.
    truncated: bool

    @property
    def success(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True)
class Score:
    name: str
    value: float
    reason: str
    weight: float = 1.0
    #: A condition: no part of the mean, but below 1 it makes the whole result 0.
    gate: bool = False


@dataclass(frozen=True)
class ScoreResult:
    #: From 0 to 1.
    value: float
    passed: bool
    scores: List[Score] = field(default_factory=list)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to another address."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        fp.close()
        raise PolyfsError(f"{req.full_url} redirects to {newurl}: give Client the address of the server itself", status=code)


class Client:
    """A server of episodes. Can be used from several threads."""

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 660.0):
        """``token`` defaults to the environment variable POLYFS_TOKEN. ``timeout`` is in seconds, for one request."""
        self.url = url.rstrip("/")
        self.token = os.environ.get("POLYFS_TOKEN") if token is None else token
        self.timeout = timeout
        # Proxies are for the internet; the server is on this machine or nearby.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())

    def tasks(self) -> List[Task]:
        return [Task(**task) for task in self.request("GET", "/tasks")["tasks"]]

    def open(
        self,
        task: str,
        seed: int = 1,
        budget: Optional[Mapping[str, int]] = None,
        faults: Optional[Mapping[str, Any]] = None,
    ) -> "Episode":
        """Opens an episode. ``budget`` has some of calls, turns, tokens and bytes."""
        body: Dict[str, Any] = {"task": task, "seed": seed}
        if budget is not None:
            body["budget"] = dict(budget)
        if faults is not None:
            body["faults"] = dict(faults)
        return Episode(self, self.request("POST", "/episodes", body))

    def request(self, method: str, path: str, body: Union[bytes, Mapping[str, Any], None] = None) -> Any:
        """Sends a request; returns parsed JSON, or the bytes of any other answer."""
        headers = {"Accept": "application/json"}
        data: Optional[bytes] = None
        if isinstance(body, (bytes, bytearray, memoryview)):
            data = bytes(body)
            headers["Content-Type"] = "application/octet-stream"
        elif body is not None:
            # A lone surrogate is not text that JSON could carry.
            data = json.dumps(body).encode("utf-8")
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                answer = response.read()
                if response.headers.get_content_type() == "application/json":
                    return json.loads(answer)
                return answer
        except urllib.error.HTTPError as error:
            raise _error_of(error) from None
        except urllib.error.URLError as error:
            raise PolyfsError(f"{self.url} can't be reached: {error.reason}") from error
        except (OSError, EOFError) as error:
            raise PolyfsError(f"{method} {path}: {error}") from error


class Episode:
    """A workspace of its own for one attempt at a task. Close it, or use it in a ``with`` statement."""

    def __init__(self, client: Client, facts: Mapping[str, Any]):
        self.client = client
        self.id: str = facts["id"]
        self.task: str = facts["task"]
        self.seed: int = facts["seed"]
        #: What the agent is asked to do.
        self.instruction: str = facts["instruction"]
        #: The directory that relative paths count from.
        self.root: str = facts["root"]
        #: The same tools over MCP, for agents that speak it. Needs the same token as the server.
        self.mcp_url: str = facts["mcpUrl"]
        self.closed = False

    def __enter__(self) -> "Episode":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Episode {self.id} of {self.task}, seed {self.seed}>"

    def tools(self) -> List[Dict[str, Any]]:
        """The tools of the agent: name, description, and parameters as JSON Schema."""
        return self._ask("GET", "tools")["tools"]

    def call(self, tool: str, args: Optional[Mapping[str, Any]] = None, /, **more: Any) -> CallResult:
        """A call of the agent: recorded in the trace, and counted against the budget."""
        answer = self._ask("POST", "call", {"tool": tool, "args": {**(args or {}), **more}})
        return CallResult(
            text=answer["text"],
            is_error=answer["isError"],
            content=answer["content"],
            structured=answer.get("structuredContent"),
            exhausted=answer.get("exhausted"),
        )

    def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ExecResult:
        """A command of your own, in bash; neither recorded nor counted. ``timeout`` is in seconds."""
        body: Dict[str, Any] = {"command": command}
        if cwd is not None:
            body["cwd"] = cwd
        if env is not None:
            body["env"] = dict(env)
        if stdin is not None:
            body["stdin"] = stdin
        if timeout is not None:
            body["timeoutMs"] = max(1, int(timeout * 1000))
        answer = self._ask("POST", "exec", body)
        return ExecResult(
            exit_code=answer["exitCode"],
            stdout=answer["stdout"],
            stderr=answer["stderr"],
            ended=answer["ended"],
            truncated=answer["truncated"],
        )

    def fork(self, seed: Optional[int] = None) -> "Episode":
        """Another episode that goes on as this one would, or with other randomness."""
        facts = self._ask("POST", "fork", {} if seed is None else {"seed": seed})
        return Episode(self.client, facts)

    def score(self, answer: str = "") -> ScoreResult:
        """Scores the current state. The episode does not change, so it can be scored after every step.

        Raises an InfraError where there is no score.
        """
        result = self._ask("POST", "score", {"answer": answer})
        scores = [
            Score(
                name=score["name"],
                value=score["value"],
                reason=score["reason"],
                weight=score.get("weight", 1.0),
                gate=score.get("gate", False),
            )
            for score in result["scores"]
        ]
        return ScoreResult(value=result["value"], passed=result["passed"], scores=scores)

    def read(self, path: str) -> bytes:
        """The bytes of a file; not recorded."""
        answer = self.client.request("GET", self._file(path))
        if isinstance(answer, bytes):
            return answer
        raise PolyfsError(f"is a directory: {path}", code="IS_A_DIRECTORY")

    def read_text(self, path: str) -> str:
        return self.read(path).decode("utf-8")

    def list(self, path: str = ".") -> List[Dict[str, str]]:
        """The entries of a directory, each with name and kind."""
        answer = self.client.request("GET", self._file(path))
        if isinstance(answer, bytes):
            raise PolyfsError(f"not a directory: {path}", code="NOT_A_DIRECTORY")
        return answer["entries"]

    def write(self, path: str, content: Union[str, bytes]) -> None:
        """Writes a file and the directories above it; not recorded."""
        data = content.encode("utf-8") if isinstance(content, str) else bytes(content)
        self.client.request("PUT", self._file(path), data)

    def changes(self) -> List[Dict[str, Any]]:
        """What differs from the beginning: kind, path and entry of each."""
        return self._ask("GET", "changes")["changes"]

    def state_hash(self) -> str:
        """Of all paths, kinds, modes and contents."""
        return self._ask("GET", "changes")["stateHash"]

    def trace(self) -> str:
        """The record of the episode so far, one JSON object per line."""
        return self._ask("GET", "trace").decode("utf-8")

    def close(self) -> None:
        """Ends the episode; a second time does nothing."""
        if self.closed:
            return
        self.closed = True
        try:
            self.client.request("DELETE", f"/episodes/{self.id}")
        except PolyfsError as error:
            # The server may have ended it before.
            if error.status not in (404, 410):
                raise

    def _ask(self, method: str, what: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return self.client.request(method, f"/episodes/{self.id}/{what}", body)

    def _file(self, path: str) -> str:
        whole = posixpath.normpath(posixpath.join(self.root, path))
        return f"/episodes/{self.id}/files/{urllib.parse.quote(whole.lstrip('/'))}"


def _error_of(error: urllib.error.HTTPError) -> PolyfsError:
    """The server answers with JSON; what a proxy says may be anything."""
    try:
        facts = json.loads(error.read())["error"]
        message, code = facts["message"], facts["code"]
    except (ValueError, KeyError, TypeError, OSError):
        message, code = str(error), None
    finally:
        error.close()
    kind = InfraError if code == "infra" else PolyfsError
    return kind(message, status=error.code, code=code if isinstance(code, str) else None)
