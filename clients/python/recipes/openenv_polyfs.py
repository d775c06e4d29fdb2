"""Tasks of `polyfs eval serve` as an OpenEnv environment: `uvicorn openenv_polyfs:app`.

Needs: pip install openenv-core uvicorn; polyfs_eval.py beside this file or on PYTHONPATH; POLYFS_URL.
"""

import os
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment, create_app
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from polyfs_eval import Client, Episode


class ToolAction(Action):
    """A call of a tool; with `done`, the agent's last words instead."""

    tool: str = ""
    args: Dict[str, Any] = Field(default_factory=dict)
    done: bool = False
    answer: str = ""


class ToolObservation(Observation):
    text: str = ""
    is_error: bool = False
    #: After a reset: the tools of the agent.
    tools: List[Dict[str, Any]] = Field(default_factory=list)


class PolyfsEnvironment(Environment):
    # Every instance has an episode of its own.
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._client = Client(os.environ.get("POLYFS_URL", "http://127.0.0.1:4100"))
        self._episode: Optional[Episode] = None
        self._steps = 0

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, task: Optional[str] = None, **_: Any
    ) -> ToolObservation:
        """`task` names one; otherwise the seed chooses it."""
        self.close()
        if task is None:
            tasks = self._client.tasks()
            task = tasks[(seed or 0) % len(tasks)].id
        self._episode = self._client.open(task, seed=1 if seed is None else seed)
        self._steps = 0
        return ToolObservation(text=self._episode.instruction, tools=self._episode.tools())

    def step(self, action: ToolAction, timeout_s: Optional[float] = None, **_: Any) -> ToolObservation:
        if self._episode is None:
            raise RuntimeError("reset comes first")
        self._steps += 1
        if action.done:
            return self._end(action.answer)
        result = self._episode.call(action.tool, action.args)
        if result.exhausted is not None:
            return self._end(text=result.text)
        return ToolObservation(text=result.text, is_error=result.is_error, reward=0.0)

    def _end(self, answer: str = "", text: str = "") -> ToolObservation:
        assert self._episode is not None
        return ToolObservation(text=text, done=True, reward=self._episode.score(answer).value)

    @property
    def state(self) -> State:
        return State(episode_id=self._episode.id if self._episode else None, step_count=self._steps)

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
        self._episode = None


app = create_app(PolyfsEnvironment, ToolAction, ToolObservation, env_name="polyfs", max_concurrent_envs=256)
