/** A suite with one small task, and one that can't be run. */
export const suiteFiles = {
  'suite/greeting/task.toml': 'version = "1.0"\n',
  'suite/greeting/instruction.md': 'Write hello into greeting.txt.\n',
  'suite/greeting/environment/notes.txt': 'some notes\n',
  'suite/greeting/tests/test.sh':
    'mkdir -p /logs/verifier; grep -qx hello /app/greeting.txt && echo 1 >/logs/verifier/reward.txt || echo 0 >/logs/verifier/reward.txt\n',
  'suite/greeting/solution/solve.sh': 'echo hello >greeting.txt\n',
  'suite/container/task.toml': 'version = "1.0"\n',
  'suite/container/instruction.md': 'Needs a container.\n',
  'suite/container/environment/Dockerfile': 'FROM debian\nRUN apt-get update\n',
  'suite/container/tests/test.sh': 'true\n',
}
