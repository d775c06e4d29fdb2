"""Uses every method of the client against a server with the task `greeting`; fails with the first difference."""

import json
import os
import sys
import threading

from polyfs_eval import Client, InfraError, PolyfsError


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, but got {actual!r}")


def refused(run, status, code):
    try:
        run()
    except PolyfsError as error:
        expect((error.status, error.code), (status, code))
        return error
    raise AssertionError(f"expected {code}")


url = sys.argv[1]
client = Client(url)
expect([(one.id, one.instruction) for one in client.tasks()], [("greeting", "Write hello into greeting.txt.\n")])

with client.open("greeting", seed=3) as episode:
    expect((episode.task, episode.seed, episode.root), ("greeting", 3, "/app"))
    expect(episode.instruction, "Write hello into greeting.txt.\n")
    assert episode.mcp_url.startswith(url), episode.mcp_url
    assert "write_file" in [tool["name"] for tool in episode.tools()]

    # Calls of the agent.
    expect(episode.score().value, 0)
    fork = episode.fork(seed=4)
    result = episode.call("write_file", path="greeting.txt", content="hello\n")
    expect((result.is_error, result.exhausted), (False, None))
    expect(episode.call("write_file", {"path": "greeting.txt", "content": "hello\n"}).is_error, False)
    missing = episode.call("read_file", path="none")
    expect(missing.is_error, True)
    assert "none" in missing.text, missing.text
    judged = episode.score("done")
    expect((judged.value, judged.passed), (1, True))
    expect([(one.value, one.weight, one.gate) for one in judged.scores], [(1, 1.0, False)])
    expect([json.loads(line)["type"] for line in episode.trace().splitlines()], ["header", "call", "call", "call", "score"])
    expect(episode.changes(), [{"path": "/app/greeting.txt", "change": "added", "kind": "file"}])

    # The fork goes its own way.
    with fork:
        expect(fork.seed, 4)
        expect(fork.score().value, 0)
        assert fork.state_hash() != episode.state_hash()

    # Files and commands of our own.
    odd = "sub dir/ü?#%25&+.bin"
    episode.write(odd, bytes(range(256)))
    expect(episode.read(odd), bytes(range(256)))
    expect(episode.read("/app/" + odd), bytes(range(256)))
    episode.write("data.json", '{"a": 1}')
    expect(episode.read_text("data.json"), '{"a": 1}')
    expect([one["name"] for one in episode.list()], ["data.json", "greeting.txt", "notes.txt", "sub dir"])
    ran = episode.exec("cat; echo $A; pwd; echo oops >&2; exit 4", cwd="/", env={"A": "b"}, stdin="in\n", timeout=30)
    expect((ran.exit_code, ran.stdout, ran.stderr, ran.success), (4, "in\nb\n/\n", "oops\n", False))
    expect(episode.exec("sleep 1000", timeout=0.2).ended in ("timeout", "exit"), True)
    refused(lambda: episode.read("none"), 404, "NOT_FOUND")
    refused(lambda: episode.read("."), None, "IS_A_DIRECTORY")
    refused(lambda: episode.list("data.json"), None, "NOT_A_DIRECTORY")
    refused(lambda: episode.exec("true", cwd="/none"), 404, "NOT_FOUND")

expect(episode.closed, True)
episode.close()
refused(lambda: episode.call("read_file", path="a"), 410, "episode-ended")
refused(lambda: client.open("other"), 404, "unknown-task")
message = str(refused(lambda: client.open("greeting", budget={"calls": -1}), 400, "bad-field"))
assert message.startswith("The field budget must be"), message
with client.open("greeting", budget={"calls": 1}) as short:
    expect(short.call("read_file", path="notes.txt").exhausted, "calls")
    expect(short.call("read_file", path="notes.txt").is_error, True)
with client.open("greeting", faults={"rate": 1, "codes": ["BUSY"]}) as faulty:
    expect(json.loads(faulty.trace().splitlines()[0])["faults"], {"rate": 1, "codes": ["BUSY"]})

# Many at once, from threads.
values = []


def one_episode(seed):
    with client.open("greeting", seed=seed) as own:
        own.call("write_file", path="greeting.txt", content="hello\n" if seed % 2 else "no\n")
        values.append((seed, own.score().value))


threads = [threading.Thread(target=one_episode, args=(seed,)) for seed in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expect(sorted(values), [(seed, seed % 2) for seed in range(8)])

# Errors that are not of the server.
refused(lambda: Client("http://127.0.0.1:1").tasks(), None, None)
refused(lambda: Client(url, token="wrong").request("GET", "/nothing"), 404, "not-found")
assert issubclass(InfraError, PolyfsError)
os.environ["POLYFS_TOKEN"] = "from the environment"
expect(Client(url).token, "from the environment")
print("all is as expected")
