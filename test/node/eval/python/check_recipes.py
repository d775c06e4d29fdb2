"""Runs the recipes against a server. The frameworks are stand-ins: this shows that the recipes use the client as it is, not that the
frameworks are as the recipes expect."""

import asyncio
import importlib
import os
import sys
import types


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def plain(function=None, **_):
    """A decorator with or without arguments that changes nothing."""
    return function if callable(function) else plain


class Record:
    def __init__(self, *args, **members):
        self.args = args
        self.__dict__.update(members)


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, but got {actual!r}")


os.environ["POLYFS_URL"] = sys.argv[1]


def check_inspect():
    class ToolDef(Record):
        def as_tool(self):
            return self

    module("inspect_ai", Task=Record, task=plain)
    module("inspect_ai.dataset", Sample=Record)
    module("inspect_ai.scorer", Score=Record, Target=Record, mean=plain, scorer=lambda **_: plain, stderr=plain)
    module("inspect_ai.solver", Generate=Record, TaskState=Record, solver=plain)
    params = types.SimpleNamespace(model_validate=lambda schema: schema)
    module("inspect_ai.tool", ToolDef=ToolDef, ToolError=RuntimeError, ToolParams=params)
    recipe = importlib.import_module("inspect_polyfs")
    made = recipe.polyfs()
    [sample] = made.dataset
    expect(sample.input, "Write hello into greeting.txt.\n")
    state = Record(metadata=sample.metadata, epoch=2, uuid="u", output=Record(completion="done"))

    async def generate(state, tool_calls):
        expect(tool_calls, "loop")
        tools = {tool.name: tool for tool in state.tools}
        expect(tools["write_file"].parameters["type"], "object")
        await tools["write_file"].args[0](path="greeting.txt", content="hello\n")
        try:
            await tools["read_file"].args[0](path="none")
        except RuntimeError:
            return state
        raise AssertionError("a failed call is an error")

    async def run():
        await made.solver(state, generate)
        return await made.scorer(state, None)

    expect(asyncio.run(run()).value, 1)
    expect(recipe.episodes, {})


def check_verifiers():
    class StatefulToolEnv:
        def __init__(self, dataset, rubric, max_turns):
            self.dataset, self.rubric, self.tools = dataset, rubric, {}

        def add_tool(self, tool, args_to_skip):
            expect(args_to_skip, ["episode"])
            self.tools[tool.__name__] = tool

        async def setup_state(self, state):
            return state

    rows = types.SimpleNamespace(from_list=lambda given: given)
    module("datasets", Dataset=rows)
    module("verifiers", Environment=Record, Rubric=Record, State=dict, StatefulToolEnv=StatefulToolEnv, cleanup=plain)
    recipe = importlib.import_module("verifiers_polyfs")
    env = recipe.load_environment(sys.argv[1], seeds=2)
    expect([row["info"] for row in env.dataset], [{"task": "greeting", "seed": 1}, {"task": "greeting", "seed": 2}])

    async def run():
        state = await env.setup_state({"info": env.dataset[0]["info"]})

        async def call(name, **args):
            return await env.tools[name](**env.update_tool_args(name, args, [], state))

        assert "greeting.txt" in await call("write_file", path="greeting.txt", content="hi\n")
        assert "greeting.txt" in await call("edit_file", path="greeting.txt", old_string="hi", new_string="hello")
        assert "hello" in await call("read_file", path="greeting.txt")
        assert "notes.txt" in await call("bash", command="ls")
        await env.score_and_close(state)
        await env.score_and_close(state)
        return await env.rubric.funcs[0](state)

    expect(asyncio.run(run()), 1)


def check_openenv():
    class Model:
        def __init__(self, **members):
            for kind in reversed(type(self).__mro__):
                for name in getattr(kind, "__annotations__", {}):
                    value = getattr(kind, name)
                    setattr(self, name, value() if callable(value) else value)
            self.__dict__.update(members)

    class Observation(Model):
        done: bool = False
        reward: float = None

    made = []
    module("openenv")
    module("openenv.core")
    environment = type("Environment", (), {"__init__": lambda self: None})
    module("openenv.core.env_server", Environment=environment, create_app=lambda *args, **_: made.append(args))
    module("openenv.core.env_server.types", Action=Model, Observation=Observation, State=Model)
    module("pydantic", Field=lambda default_factory: default_factory)
    recipe = importlib.import_module("openenv_polyfs")
    [(create, action, _)] = made
    env = create()
    first = env.reset(seed=5)
    expect(first.text, "Write hello into greeting.txt.\n")
    assert "bash" in [tool["name"] for tool in first.tools]
    seen = env.step(action(tool="write_file", args={"path": "greeting.txt", "content": "hello\n"}))
    expect((seen.is_error, seen.done, seen.reward), (False, False, 0.0))
    last = env.step(action(done=True, answer="done"))
    expect((last.done, last.reward, env.state.step_count), (True, 1, 2))
    env.reset(task="greeting")
    env.close()
    expect(env.state.episode_id, None)
    assert recipe.app is None


check_inspect()
check_verifiers()
check_openenv()
print("all is as expected")
