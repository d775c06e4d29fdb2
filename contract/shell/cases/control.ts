import type { ShellCase } from '../types.js'

/** Ending commands, and what goes on without them. */
export const controlCases: ShellCase[] = [
  {
    name: 'a command that sleeps too long is ended',
    // Long enough that a loaded machine gets to the first word.
    steps: [{ run: 'echo before; sleep 600; echo after', timeoutMs: 3000, ended: 'timeout', stdout: 'before\n' }],
  },
  {
    name: 'a command that computes too long is ended',
    steps: [{ run: 'while :; do :; done', timeoutMs: 500, ended: 'timeout' }],
  },
  {
    name: 'a command that is ended ends with all it started',
    tree: {},
    steps: [
      { run: '(sleep 2; echo late > late) | cat', timeoutMs: 500, ended: 'timeout' },
      { run: 'sleep 3; ls', stdout: '' },
    ],
  },
  {
    name: 'a command is asked to end first, and can clear up',
    needs: { signals: true },
    tree: {},
    steps: [
      {
        run: `trap 'echo cleared > cleared; exit 0' TERM; echo > ready; while :; do sleep 0.05; done`,
        abortWhen: 'ready',
        graceMs: 30_000,
        ended: 'aborted',
      },
      { file: 'cleared', content: 'cleared\n' },
    ],
  },
  {
    name: 'a command that does not end when asked is ended',
    needs: { signals: true },
    tree: {},
    steps: [
      {
        run: `trap '' TERM; echo > ready; while :; do sleep 0.05; done`,
        abortWhen: 'ready',
        graceMs: 300,
        ended: 'aborted',
      },
    ],
  },
  {
    name: 'a command is ended from outside in the middle',
    tree: {},
    steps: [
      {
        run: 'echo begun; echo > begun; sleep 600; echo never',
        abortWhen: 'begun',
        ended: 'aborted',
        stdout: 'begun\n',
      },
      { run: 'echo next', stdout: 'next\n' },
    ],
  },
  {
    name: 'a command is ended from outside once it has printed something, and the next one runs',
    tree: {},
    steps: [
      {
        run: 'echo kept > kept; echo begun; sleep 600; echo never; echo never > never',
        abortAfter: 'begun\n',
        ended: 'aborted',
        stdout: 'begun\n',
      },
      { run: 'cat kept; ls', stdout: 'kept\nkept\n' },
    ],
  },
  {
    name: 'a computation is ended from outside in the middle',
    steps: [
      { run: 'echo begun; while :; do :; done', abortAfter: 'begun\n', ended: 'aborted', stdout: 'begun\n' },
      { run: 'echo next', stdout: 'next\n' },
    ],
  },
  {
    name: 'what a command leaves in the background goes on without holding it up',
    needs: { background: true },
    tree: {},
    steps: [
      { run: '(while [ ! -e go ]; do sleep 0.05; done; echo done > done) & echo started', stdout: 'started\n' },
      { run: 'echo > go' },
      { file: 'done', content: 'done\n' },
    ],
  },
  {
    name: 'wait waits for what runs in the background',
    needs: { background: true },
    tree: {},
    steps: [{ run: '(sleep 0.2; echo a > a) & wait; cat a', stdout: 'a\n' }],
  },
]
