import type { ShellCase } from '../types.js'

/** How a command reports its success. */
export const exitCases: ShellCase[] = [
  { name: 'success is 0', steps: [{ run: 'true', exitCode: 0, stdout: '' }] },
  {
    name: 'failure is a result, with its code',
    steps: [
      { run: 'exit 3', exitCode: 3 },
      { run: 'false', exitCode: 1 },
    ],
  },
  {
    name: 'the code of the last command counts',
    steps: [
      { run: 'false; true', exitCode: 0 },
      { run: 'true; (exit 7)', exitCode: 7 },
    ],
  },
  {
    name: 'and and or go by success',
    steps: [
      {
        run: 'true && echo yes || echo no; false && echo yes || echo no; ! false && echo not',
        stdout: 'yes\nno\nnot\n',
      },
    ],
  },
  {
    name: 'a command that is not there is 127',
    steps: [{ run: 'no-such-command-here 2>/dev/null', exitCode: 127, stdout: '' }],
  },
  {
    name: 'set -e ends at the first failure',
    steps: [{ run: 'set -e; echo a; false; echo b', exitCode: 1, stdout: 'a\n' }],
  },
  {
    name: 'the code of a pipe is that of its end, or with pipefail of what failed',
    steps: [
      { run: 'false | true', exitCode: 0 },
      { run: 'set -o pipefail; false | true', exitCode: 1 },
    ],
  },
  {
    name: 'exit in the middle of a script ends it',
    steps: [{ run: 'echo a\nexit 5\necho b', exitCode: 5, stdout: 'a\n' }],
  },
  {
    name: 'a trap on EXIT is run at the end, however that comes',
    steps: [
      { run: `trap 'echo bye' EXIT; echo hi`, stdout: 'hi\nbye\n' },
      { run: `trap 'echo bye' EXIT; false || exit 3; echo never`, exitCode: 3, stdout: 'bye\n' },
      { run: `set -e; trap 'echo bye' EXIT; false; echo never`, exitCode: 1, stdout: 'bye\n' },
    ],
  },
  {
    name: 'a shell that a signal ends reports which',
    steps: [{ run: 'kill -TERM $$; sleep 60', exitCode: 'any', signal: 'SIGTERM' }],
  },
]
