"""Tasks of `polyfs eval serve` in Inspect: `inspect eval inspect_polyfs.py --model ... --epochs 5`.

Needs: pip install inspect-ai; polyfs_eval.py beside this file or on PYTHONPATH; POLYFS_URL.
"""

import asyncio
import os

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import ToolDef, ToolError, ToolParams

from polyfs_eval import Client, Episode

client = Client(os.environ.get("POLYFS_URL", "http://127.0.0.1:4100"))
#: By the unique id of each sample's run.
episodes: dict = {}


@task
def polyfs():
    samples = [Sample(id=one.id, input=one.instruction, metadata={"task": one.id}) for one in client.tasks()]
    return Task(dataset=samples, solver=in_episode(), scorer=polyfs_score())


@solver
def in_episode():
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # The epoch is the seed: every epoch is another trial, and can be repeated.
        episode = await asyncio.to_thread(client.open, state.metadata["task"], seed=state.epoch)
        episodes[state.uuid] = episode
        definitions = await asyncio.to_thread(episode.tools)
        state.tools = [as_tool(episode, one) for one in definitions]
        return await generate(state, tool_calls="loop")

    return solve


def as_tool(episode: Episode, definition: dict):
    async def execute(**args) -> str:
        result = await asyncio.to_thread(episode.call, definition["name"], args)
        if result.is_error:
            raise ToolError(result.text)
        return result.text

    return ToolDef(
        execute,
        name=definition["name"],
        description=definition["description"],
        parameters=ToolParams.model_validate(definition["parameters"]),
        # Calls of an episode run one at a time, in the order in which the model made them.
        parallel=False,
    ).as_tool()


@scorer(metrics=[mean(), stderr()])
def polyfs_score():
    async def score(state: TaskState, target: Target) -> Score:
        episode = episodes.pop(state.uuid)
        try:
            # An InfraError makes the sample an error, not a 0.
            result = await asyncio.to_thread(episode.score, state.output.completion)
        finally:
            await asyncio.to_thread(episode.close)
        reasons = "\n".join(f"{one.name}: {one.value} ({one.reason})" for one in result.scores)
        return Score(value=result.value, explanation=reasons)

    return score
