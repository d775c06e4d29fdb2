/** Changes of several entries as the operations make them, for the suites of faults and crashes. */
import { editFiles } from '../../../src/ops/many/edit-files.js'
import { moveEntries } from '../../../src/ops/many/move-entries.js'
import type { Operation } from '../../../src/ops/operation.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import type { Engine, Scenario } from './scenario.js'

/** Runs an operation that needs no more of a workspace than this. */
function run<Given, Input, Result>(
  { fs, changes, history }: Engine,
  operation: Operation<Given, Input, Result>,
  input: Given,
): Promise<Result> {
  const workspace = { fs, changes, history, root: '/', limits: { maxFileBytes: 1000 } } as Workspace
  return operation.run(operation.input.parse(input), workspace, {})
}

function pairsOf(...pairs: [from: string, to: string][]) {
  return { pairs: pairs.map(([from, to]) => ({ from, to })), makeParents: true }
}

export const severalEntries: readonly Scenario[] = [
  {
    name: 'edits of several files',
    files: { 'a.txt': 'old a', 'b.txt': 'old b', 'd/c.txt': 'old c', 'd/d.txt': 'as it was' },
    prepare: async (_engine, tree) => tree.setMode?.('/b.txt', 0o600),
    act: (engine) =>
      run(engine, editFiles, {
        paths: ['a.txt', 'b.txt', 'd/c.txt'],
        edits: [{ kind: 'literal', find: 'old', replace: 'newer' }],
      }),
  },
  {
    name: 'entries that move into a new directory',
    files: { 'a.txt': 'a', 'd/b.txt': 'b', 'd/e/c.txt': 'c', 'f/g.txt': 'g' },
    act: (engine) => run(engine, moveEntries, { sources: ['a.txt', 'd', 'f/g.txt'], into: 'n/m/', makeParents: true }),
  },
  {
    name: 'files and directories that change places',
    files: { 'a.txt': 'a', 'b.txt': 'b', 'd/x.txt': 'x', 'e/x.txt': 'z', 'e/f/': '' },
    prepare: async (_engine, tree) => {
      await tree.setMode?.('/a.txt', 0o755)
      await tree.setMode?.('/d', 0o700)
      await tree.symlink?.('x.txt', '/d/link')
    },
    act: (engine) => run(engine, moveEntries, pairsOf(['a.txt', 'b.txt'], ['b.txt', 'a.txt'], ['d', 'e'], ['e', 'd'])),
  },
  {
    name: 'files too large to be read that take the place of the next',
    files: { a: 'the first file', b: 'the second file', c: 'the third file', 'd/e': 'another file' },
    options: { limits: { maxUndoBytes: 5 } },
    act: (engine) => run(engine, moveEntries, pairsOf(['a', 'b'], ['b', 'c'], ['c', 'a'], ['d', 'f'], ['d/e', 'd2'])),
  },
]
