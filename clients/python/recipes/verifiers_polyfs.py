"""Tasks of `polyfs eval serve` as an environment of verifiers, for evaluation and training.

Needs: pip install verifiers; polyfs_eval.py beside this file or on PYTHONPATH.
"""

import asyncio

import verifiers as vf
from datasets import Dataset

from polyfs_eval import Client, Episode


def load_environment(url: str = "http://127.0.0.1:4100", seeds: int = 8, max_turns: int = 40) -> vf.Environment:
    """Each task is in the dataset once for every seed."""
    client = Client(url)
    rows = [
        {"prompt": [{"role": "user", "content": one.instruction}], "info": {"task": one.id, "seed": seed}}
        for one in client.tasks()
        for seed in range(1, seeds + 1)
    ]
    rubric = vf.Rubric(funcs=[polyfs_reward])
    return PolyfsEnv(client, dataset=Dataset.from_list(rows), rubric=rubric, max_turns=max_turns)


class PolyfsEnv(vf.StatefulToolEnv):
    def __init__(self, client: Client, **more):
        super().__init__(**more)
        self.client = client
        # The model does not see `episode`: `update_tool_args` fills it in.
        for tool in (read_file, write_file, edit_file, bash):
            self.add_tool(tool, args_to_skip=["episode"])

    async def setup_state(self, state: vf.State, **more) -> vf.State:
        state = await super().setup_state(state, **more)
        info = state["info"]
        state["episode"] = await asyncio.to_thread(self.client.open, info["task"], seed=info["seed"])
        return state

    def update_tool_args(self, tool_name: str, tool_args: dict, messages, state: vf.State, **more) -> dict:
        return {**tool_args, "episode": state["episode"]}

    @vf.cleanup
    async def score_and_close(self, state: vf.State) -> None:
        """Rewards are computed after this, when the episode is gone."""
        episode = state.pop("episode", None)
        if episode is None:
            return
        try:
            # An InfraError ends the rollout with an error: it is not a reward of 0.
            state["polyfs_score"] = (await asyncio.to_thread(episode.score)).value
        finally:
            await asyncio.to_thread(episode.close)


async def polyfs_reward(state: vf.State) -> float:
    return state["polyfs_score"]


async def read_file(path: str, episode: Episode) -> str:
    """Read a text file.

    Args:
        path: The path of the file.
    """
    return (await asyncio.to_thread(episode.call, "read_file", {"path": path})).text


async def write_file(path: str, content: str, episode: Episode) -> str:
    """Write a whole file.

    Args:
        path: The path of the file.
        content: Its new text.
    """
    return (await asyncio.to_thread(episode.call, "write_file", {"path": path, "content": content})).text


async def edit_file(path: str, old_string: str, new_string: str, episode: Episode) -> str:
    """Replace a text that occurs once in a file.

    Args:
        path: The path of the file.
        old_string: The text to replace.
        new_string: What takes its place.
    """
    args = {"path": path, "old_string": old_string, "new_string": new_string}
    return (await asyncio.to_thread(episode.call, "edit_file", args)).text


async def bash(command: str, episode: Episode) -> str:
    """Run a shell command.

    Args:
        command: The command.
    """
    return (await asyncio.to_thread(episode.call, "bash", {"command": command})).text
