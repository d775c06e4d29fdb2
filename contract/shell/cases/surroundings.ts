import type { ShellCase } from '../types.js'

/** Directory and variables. */
export const surroundingCases: ShellCase[] = [
  {
    name: 'a command begins in its directory',
    tree: { 'sub/file.txt': 'x' },
    steps: [
      { run: 'ls', cwd: 'sub', stdout: 'file.txt\n' },
      { run: 'basename "$(pwd)"', cwd: 'sub', stdout: 'sub\n' },
    ],
  },
  {
    name: 'a change of directory ends with the command',
    tree: { 'sub/file.txt': 'x' },
    steps: [
      { run: 'cd sub && ls', stdout: 'file.txt\n' },
      { run: 'ls', stdout: 'sub\n' },
    ],
  },
  {
    name: 'a directory that is not there can not be entered',
    steps: [{ run: 'cd missing 2>/dev/null || echo stayed', stdout: 'stayed\n' }],
  },
  {
    name: 'names with spaces and other letters are names',
    tree: { 'a dir/ö 日.txt': 'content\n' },
    steps: [
      { run: 'cat "ö 日.txt"', cwd: 'a dir', stdout: 'content\n' },
      { run: 'cat a*/*.txt', stdout: 'content\n' },
    ],
  },
  {
    name: 'variables are given to a command',
    steps: [{ run: 'echo "$GREETING|$EMPTY|"', env: { GREETING: 'hello  you', EMPTY: '' }, stdout: 'hello  you||\n' }],
  },
  {
    name: 'variables end with the command',
    steps: [{ run: 'export LEFT=over' }, { run: 'echo "<$LEFT>"', stdout: '<>\n' }],
  },
  {
    name: 'a variable before a command is for it alone',
    steps: [{ run: "export V=1; V=2 sh -c 'echo $V'; echo $V", stdout: '2\n1\n' }],
  },
  {
    name: 'there is a PATH and a HOME, and commands know where they are',
    steps: [{ run: 'test -n "$PATH" && test -n "$HOME" && test "$PWD" = "$(pwd)" && echo fine', stdout: 'fine\n' }],
  },
]
