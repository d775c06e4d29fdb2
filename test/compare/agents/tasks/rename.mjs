import { treeIs } from '../checks.mjs'
import { pathsWhere, textOf } from '../repository/index.mjs'
import { officialEdits, readFolder } from '../steps.mjs'

const name = /\bparseRecord\b/g
const isInScope = (path) => /\.(js|md)$/.test(path) && !path.startsWith('dist/') && path !== 'CHANGELOG.md'

const changed = Object.fromEntries(
  pathsWhere(isInScope)
    .map((path) => [path, textOf(path)])
    .filter(([, text]) => text.search(name) !== -1)
    .map(([path, text]) => [path, text.replaceAll(name, 'decodeRecord')]),
)
const places = Object.keys(changed).reduce((sum, path) => sum + textOf(path).match(name).length, 0)

/** @type {import('./task.mjs').Task} */
export const rename = {
  id: 'rename',
  title: 'rename a function everywhere',
  prompt:
    'Rename the function parseRecord to decodeRecord everywhere in code, tests and documentation. Functions with longer names ' +
    '(parseRecords and others) keep theirs, CHANGELOG.md stays as it is, and so does dist, which is built.',
  check: ({ root }) => treeIs(root, changed),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Where is it?', call: ['grep', { pattern: '\\bparseRecord\\b', output: 'count' }] },
        {
          why: 'Rename it, in as many places as were found without the changelog',
          call: [
            'edit_file',
            {
              glob: '*.{js,md}',
              exclude: ['CHANGELOG.md'],
              old_string: '\\bparseRecord\\b',
              new_string: 'decodeRecord',
              regex: true,
              replace_all: true,
              expected_count: places,
            },
          ],
        },
      ],
    },
    official: {
      steps: [
        ...readFolder('src', '.js'),
        ...readFolder('test', '.js'),
        ...readFolder('docs', '.md'),
        ...officialEdits('Rename it', changed),
      ],
    },
  },
}
