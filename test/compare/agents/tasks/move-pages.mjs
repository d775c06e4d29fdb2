import { treeIs } from '../checks.mjs'
import { moves } from '../repository/docs.mjs'
import { pathsWhere, textOf } from '../repository/index.mjs'
import { lineEdits, readFolder } from '../steps.mjs'

const names = moves.map(([from]) => from.replace(/^.*\/(.*)\.md$/, '$1'))
const moved = names.join('|')
const throughGuide = new RegExp(`guide/(${moved})\\.md`, 'g')
const fromSibling = new RegExp(`\\]\\((${moved})\\.md`, 'g')
const toSibling = new RegExp(`\\]\\((?!(?:${moved})\\.md)([\\w-]+)\\.md`, 'g')
const newPath = new Map(moves)

/** Each page that changes, by its old path. */
const mended = Object.fromEntries(
  pathsWhere((path) => path.endsWith('.md'))
    .map((path) => [path, mend(path, textOf(path))])
    .filter(([path, text]) => text !== textOf(path)),
)

function mend(path, text) {
  if (newPath.has(path)) return text.replaceAll(toSibling, '](../guide/$1.md')
  const result = text.replaceAll(throughGuide, 'operations/$1.md')
  return path.startsWith('docs/guide/') ? result.replaceAll(fromSibling, '](../operations/$1.md') : result
}

const changed = {
  ...mended,
  ...Object.fromEntries(
    moves.flatMap(([from, to]) => [
      [to, mended[from] ?? textOf(from)],
      [from, null],
    ]),
  ),
}

/** @type {import('./task.mjs').Task} */
export const movePages = {
  id: 'move-pages',
  title: 'move four pages and mend the links',
  prompt:
    'Move the pages backups, users, roles and taxes from docs/guide to docs/operations (same file names), and mend every relative link in ' +
    'the documentation and the README: those that lead to them, and those inside of them. Change nothing else.',
  check: ({ root }) => treeIs(root, changed),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Which links are there?', call: ['grep', { pattern: `\\((\\S*/)?(${moved})\\.md`, glob: '*.md' }] },
        {
          why: 'And which inside the pages?',
          call: ['grep', { pattern: '\\]\\(', path: 'docs/guide', glob: `{${names.join(',')}}.md` }],
        },
        {
          why: 'Move the pages',
          call: ['move', { sources: moves.map(([from]) => from), destination: 'docs/operations/' }],
        },
        {
          why: 'Links that name the folder',
          call: edit({ glob: '*.md', old_string: throughGuide.source, new_string: 'operations/$1.md' }),
        },
        {
          why: 'Links from pages beside them',
          call: edit({ glob: 'docs/guide/*.md', old_string: fromSibling.source, new_string: '](../operations/$1.md' }),
        },
        {
          why: 'Links to pages beside them',
          call: edit({ glob: 'docs/operations/*.md', old_string: toSibling.source, new_string: '](../guide/$1.md' }),
        },
      ],
    },
    official: {
      steps: [
        ...readFolder('docs', '.md'),
        { why: 'And the README', call: ['read_text_file', { path: 'README.md' }] },
        { why: 'A move does not make the directory', call: ['create_directory', { path: 'docs/operations' }] },
        ...moves.map(([source, destination]) => ({
          why: 'Move the pages: one call for each',
          call: ['move_file', { source, destination }],
        })),
        ...Object.entries(mended).map(([path, text]) => ({
          why: 'Mend the links: one call for each page',
          call: ['edit_file', { path: newPath.get(path) ?? path, edits: lineEdits(textOf(path), text) }],
        })),
      ],
    },
  },
}

function edit(args) {
  return ['edit_file', { ...args, regex: true, replace_all: true }]
}
