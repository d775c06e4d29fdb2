/** Changes that spell names otherwise, where that is the same name. */
import { foldingNames, ignoringCase } from '../fs/folding-names.js'
import type { Engine, Scenario } from './scenario.js'

const on: Scenario['on'] = (fs) => foldingNames(fs, ignoringCase)

function move({ changes }: Engine, from: string, to: string, content?: string) {
  const scopes = [from, to].map((path) => ({ path, tree: true }))
  return changes.run({ label: 'move', scopes }, async (draft) => {
    await draft.move(from, to)
    if (content !== undefined) await draft.write(to, new TextEncoder().encode(content))
  })
}

export const respellings: readonly Scenario[] = [
  {
    name: 'a name that is spelled otherwise',
    files: { 'readme.md': 'x', 'other.md': 'y' },
    on,
    act: (engine) => move(engine, '/readme.md', '/README.md'),
  },
  {
    name: 'a file that is spelled otherwise and changed',
    files: { 'readme.md': 'x' },
    on,
    act: (engine) => move(engine, '/readme.md', '/README.md', 'changed'),
  },
  {
    name: 'a directory that is spelled otherwise',
    files: { 'Src/a.txt': 'a', 'Src/deep/b.txt': 'b' },
    on,
    act: (engine) => move(engine, '/Src', '/src'),
  },
  {
    name: 'an undo of a name that was spelled otherwise',
    files: { 'readme.md': 'x' },
    on,
    prepare: (engine) => move(engine, '/readme.md', '/README.md', 'changed'),
    act: ({ history }) => history.undo(),
  },
]
