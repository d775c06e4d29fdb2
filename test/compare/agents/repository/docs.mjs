/** The documentation: pages that link to each other, relative to themselves. */

import { version } from './other.mjs'
import { seeded } from './random.mjs'

const guide = [
  'getting-started',
  'accounts',
  'bookings',
  'statements',
  'periods',
  'reports',
  'taxes',
  'backups',
  'users',
  'roles',
]
const reference = [
  'commands',
  'configuration',
  'environment',
  'errors',
  'files',
  'formats',
  'http',
  'logs',
  'mail',
  'records',
  'services',
  'limits',
]
const notes = ['decisions', 'history', 'roadmap', 'style']

/** The pages that one task moves, from their old path to their new one. */
export const moves = ['backups', 'users', 'roles', 'taxes'].map((name) => [
  `docs/guide/${name}.md`,
  `docs/operations/${name}.md`,
])

const sentences = [
  'An entry belongs to one account and one period.',
  'Amounts are exact to the cent, and rounded only when they are shown.',
  'What was booked once is never changed; a correction is another entry.',
  'The server reads its settings at the start, and again on SIGHUP.',
  'Every service of a region has a file of settings.',
  'A report that is too long for one page has several.',
  'Statements are sent on the first working day of a month.',
]

export function pages() {
  const all = [
    ...guide.map((name) => ({ folder: 'guide', name })),
    ...reference.map((name) => ({ folder: 'reference', name })),
    ...notes.map((name) => ({ folder: 'notes', name })),
  ]
  const entries = all.map((page, i) => [`docs/${page.folder}/${page.name}.md`, pageText(page, all, i)])
  return { ...Object.fromEntries(entries), 'docs/index.md': index(all) }
}

function pageText({ folder, name }, all, number) {
  const random = seeded(number + 101)
  const paragraphs = Array.from({ length: 4 }, () => Array.from({ length: 3 }, () => random.pick(sentences)).join(' '))
  const linked = [all[(number * 5 + 3) % all.length], all[(number * 7 + 1) % all.length]].filter(
    (other) => other.name !== name,
  )
  const see = linked.map((other) => `[${titleOf(other.name)}](${linkTo(folder, other)})`)
  const parts = [`# ${titleOf(name)}`, ...paragraphs, ...(special[name] ?? []), `See also ${see.join(' and ')}.`]
  return `${parts.join('\n\n')}\n`
}

/** A link in a page of one folder to another page. */
function linkTo(folder, other) {
  return other.folder === folder ? `${other.name}.md` : `../${other.folder}/${other.name}.md`
}

function index(all) {
  const rows = all.map(({ folder, name }) => `- [${titleOf(name)}](${folder}/${name}.md)`)
  return `# ledger ${version}\n\n${rows.join('\n')}\n`
}

function titleOf(name) {
  return name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ')
}

const special = {
  records: [
    'A line is split by `parseRecord`, a whole text by `parseRecords`:',
    "```js\nimport { parseRecord } from 'ledger/src/core/record.js'\n\nparseRecord('a;\"b;c\"') // ['a', 'b;c']\n```",
  ],
  formats: ['Files with semicolons are read by `parseRecord`; a header by `parseRecordHeader`.'],
  commands: [
    [
      '| command | does |',
      '|---|---|',
      '| `book` | Book an entry |',
      '| `export` | Write entries to a file |',
      '| `import` | Read entries from a file |',
      '| `list` | List accounts and balances |',
      '| `report` | Print a report |',
      '| `serve` | Start the server |',
    ].join('\n'),
  ],
  statements: ['Statements are sent by mail, or by fax (`src/fax/send.js`).'],
  'getting-started': [`This page is about version ${version}.`],
}
