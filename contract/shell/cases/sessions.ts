import type { ShellCase } from '../types.js'

/** What a session keeps. */
export const sessionCases: ShellCase[] = [
  {
    name: 'a session keeps its directory',
    tree: { 'a/b/f.txt': 'x' },
    steps: [
      { run: 'cd a', session: true },
      { run: 'cd b', session: true },
      { run: 'ls', session: true, stdout: 'f.txt\n' },
      { run: 'ls', stdout: 'a\n' },
    ],
  },
  {
    name: 'a session keeps exported variables, and forgets those that are unset',
    steps: [
      {
        run: `export A='1  2' B=3; C=4; D="it's
two lines"; export D`,
        session: true,
      },
      { run: 'echo "$A|$B|$C|$D"', session: true, stdout: "1  2|3||it's\ntwo lines\n" },
      { run: 'unset B; export A=5', session: true },
      { run: 'echo "$A|$B|"', session: true, stdout: '5||\n' },
    ],
  },
  {
    name: 'a session keeps what a command did before its own exit, and its code',
    tree: { 'd/': {} },
    steps: [
      { run: 'cd d; export E=1; exit 3', session: true, exitCode: 3 },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'd\n1\n' },
      { run: 'leave() { export E=2; exit $1; }; cd ..; false || leave 4; cd d', session: true, exitCode: 4 },
      { run: 'ls -d d; echo $E; (exit 5)', session: true, exitCode: 5, stdout: 'd\n2\n' },
    ],
  },
  {
    name: 'a session keeps what a command did before it failed with set -e or set -u',
    tree: { 'd/e/': {} },
    steps: [
      { run: 'set -e; cd d; export E=1; false; cd e; export E=2', session: true, exitCode: 1 },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'd\n1\n' },
      { run: 'set -e; fail() { cd e; export E=3; false; }; if true; then fail; fi; cd ..', session: true, exitCode: 1 },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'e\n3\n' },
      { run: 'set -u; cd ..; export E=4; echo "$NOT_SET"; cd ..', session: true, exitCode: 'not zero' },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'd\n4\n' },
      { run: 'set -e; (cd e; export E=5; false); cd e', session: true, exitCode: 1 },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'd\n4\n' },
      { run: 'set -e; eval "export E=6; cd e; false"; cd ..', session: true, exitCode: 1 },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'e\n6\n' },
    ],
  },
  {
    name: 'a session keeps what a command with a trap on EXIT did',
    tree: { 'd/': {} },
    steps: [
      { run: `trap 'echo bye' EXIT; cd d; export E=1; exit 3`, session: true, exitCode: 3, stdout: 'bye\n' },
      { run: 'basename "$(pwd)"; echo $E', session: true, stdout: 'd\n1\n' },
      { run: `set -e; trap 'echo bye $?' EXIT; export E=2; (exit 4)`, session: true, exitCode: 4, stdout: 'bye 4\n' },
      { run: 'echo $E', session: true, stdout: '2\n' },
    ],
  },
  {
    name: 'a session stays as it was when a command is ended',
    tree: { 'd/': {} },
    steps: [
      { run: 'cd d; export E=1; sleep 600', session: true, timeoutMs: 1000, ended: 'timeout' },
      { run: 'ls; echo "<$E>"', session: true, stdout: 'd\n<>\n' },
    ],
  },
  {
    name: 'output of a session is that of its commands alone',
    steps: [
      { run: 'echo out; echo err >&2', session: true, stdout: 'out\n', stderr: 'err\n' },
      { run: 'set -x; :', session: true, stdout: '', stderr: '+ :\n' },
    ],
  },
]
