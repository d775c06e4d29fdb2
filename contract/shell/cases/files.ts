import type { ShellCase } from '../types.js'

/** Commands and the workspace see the same files. */
export const fileCases: ShellCase[] = [
  {
    name: 'what a command writes can be read afterwards',
    tree: {},
    steps: [{ run: 'echo a > f; echo b >> f; mkdir -p d/e; printf c > d/e/g' }],
    after: { f: 'a\nb\n', 'd/e/g': 'c' },
  },
  {
    name: 'a command reads what exists',
    tree: { 'a.txt': 'one\ntwo\n' },
    steps: [{ run: 'cat a.txt; wc -l < a.txt | tr -d " "', stdout: 'one\ntwo\n2\n' }],
  },
  {
    name: 'files are moved, copied and removed',
    tree: { a: '1', 'd/b': '2', 'gone/x/y': '3' },
    steps: [{ run: 'mv a d/a; cp d/b c; rm -r gone; cp -r d e' }],
    after: { 'd/a': '1', 'd/b': '2', c: '2', 'e/a': '1', 'e/b': '2' },
  },
  {
    name: 'an existing file is replaced by a move and by a copy',
    tree: { a: '1', b: '2', c: '3', 'd/a': '4' },
    steps: [{ run: 'mv a b; cp c d/a; mv c d; cp d/c b2; cp -f b b2' }],
    after: { b: '1', b2: '1', 'd/a': '3', 'd/c': '3' },
  },
  {
    name: 'a file is not lost to itself, nor a directory put into itself',
    tree: { a: '1', 'd/e/f': '2' },
    steps: [
      { run: 'mv a a', exitCode: 'any' },
      { run: 'cp a ./a', exitCode: 'not zero' },
      { run: 'mv d d/e', exitCode: 'not zero' },
    ],
    after: { a: '1', 'd/e/f': '2' },
  },
  {
    name: 'sed -i changes a file in place',
    tree: { 'a.txt': 'one two\n' },
    steps: [{ run: `sed -i 's/two/three/' a.txt` }],
    after: { 'a.txt': 'one three\n' },
  },
  {
    name: 'globs match names, and stay as they are when nothing matches',
    tree: { 'a.ts': '', 'b.ts': '', 'c.md': '', '.hidden.ts': '', 'd/e.ts': '' },
    steps: [
      {
        run: `echo *.ts; echo ?.md; echo [ab].ts; echo */*.ts; echo *.none; echo "*.ts"`,
        stdout: 'a.ts b.ts\nc.md\na.ts b.ts\nd/e.ts\n*.none\n*.ts\n',
      },
    ],
  },
  {
    name: 'grep and find look through a tree',
    tree: { 'src/a.ts': 'TODO one\n', 'src/b/c.ts': 'none\nTODO two\n', 'x.md': 'TODO three\n' },
    steps: [
      { run: 'grep -rn TODO src', stdout: { lines: ['src/a.ts:1:TODO one', 'src/b/c.ts:2:TODO two'] } },
      { run: 'find . -name "*.ts" -type f', stdout: { lines: ['./src/a.ts', './src/b/c.ts'] } },
    ],
  },
  {
    name: 'a file that is not there is a failure',
    tree: {},
    steps: [{ run: 'cat missing', exitCode: 'not zero', stdout: '', stderr: { contains: 'missing' } }],
  },
  {
    name: 'a redirection into a directory that is not there is a failure',
    tree: {},
    steps: [{ run: 'echo x > no/such 2>/dev/null || echo failed', stdout: { contains: 'failed\n' } }],
    after: {},
  },
  {
    name: 'a script that was written can be run',
    tree: { 'script.sh': 'echo "from $0: $1"\n' },
    steps: [{ run: 'sh script.sh arg', stdout: 'from script.sh: arg\n' }],
  },
  {
    name: 'a hundred files are written and counted',
    tree: {},
    steps: [
      {
        run: 'i=0; while [ $i -lt 100 ]; do echo $i > f$i; i=$((i + 1)); done; ls | wc -l | tr -d " "',
        stdout: '100\n',
      },
    ],
  },
]
