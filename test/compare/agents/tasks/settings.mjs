import { answerLine, treeIs } from '../checks.mjs'
import { variables } from '../repository/code.mjs'
import { pathsWhere, repository, textOf } from '../repository/index.mjs'
import { officialEdits, readFolder } from '../steps.mjs'

const changed = Object.fromEntries(
  pathsWhere((path) => path.startsWith('services/') && !path.startsWith('services/islands/')).map((path) => [
    path,
    textOf(path).replace('"timeoutSeconds": 30,', '"timeoutSeconds": 45,'),
  ]),
)

/** @type {import('./task.mjs').Task} */
export const timeouts = {
  id: 'timeouts',
  title: 'change a setting in 15 files, with exceptions',
  prompt:
    'Raise the timeout of the services (timeoutSeconds in services/*/*.json) from 30 to 45 seconds. The region islands keeps its own, and ' +
    'the timeout of alerts stays 30 everywhere.',
  check: ({ root }) => treeIs(root, changed),
  scripts: {
    polyfs: {
      steps: [
        { why: 'What is set?', call: ['grep', { pattern: 'timeoutSeconds', path: 'services' }] },
        {
          why: 'That of a service is followed by a comma',
          call: [
            'edit_file',
            {
              glob: 'services/**/*.json',
              exclude: ['services/islands/**'],
              old_string: '"timeoutSeconds": 30,',
              new_string: '"timeoutSeconds": 45,',
              expected_count: Object.keys(changed).length,
            },
          ],
        },
      ],
    },
    official: { steps: [...readFolder('services', '.json'), ...officialEdits('Set it', changed)] },
  },
}

const names = [...new Set([...Object.values(variables), 'LEDGER_VERBOSE'])].sort().join(', ')

/** @type {import('./task.mjs').Task} */
export const environment = {
  id: 'environment',
  title: 'list the environment variables that the code reads',
  prompt:
    'Which variables of the environment does the code in src read? End with a line that lists each once, in alphabetical order: ' +
    'ANSWER: FIRST, SECOND, …',
  check: ({ answer }) =>
    answerLine(answer) === names ? undefined : `the answer is ${answerLine(answer)}, not ${names}`,
  scripts: {
    polyfs: {
      steps: [
        { why: 'Find them', call: ['grep', { pattern: 'process\\.env', path: 'src' }], takes: { names: variablesIn } },
      ],
      answer: 'ANSWER: {names}',
    },
    official: {
      steps: readFolder('src', '.js').map((step, i) => (i === 0 ? step : { ...step, takes: { names: variablesIn } })),
      answer: 'ANSWER: {names}',
    },
  },
}

function variablesIn(text) {
  return [...new Set([...text.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name))].sort().join(', ')
}

const path = 'data/prices.csv'
const before = repository().get(path).toString()
const after = before.replace('122;Transfer;business;8.50', '122;Transfer;business;9.10')

/** @type {import('./task.mjs').Task} */
export const table = {
  id: 'table',
  title: 'change one row of a spreadsheet’s table',
  prompt:
    'In data/prices.csv, which a spreadsheet reads, raise the price of number 122 to 9.10. Leave everything else as it is, byte order mark ' +
    'and line endings included.',
  check: ({ root }) => treeIs(root, { [path]: after }),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Find the row', call: ['grep', { pattern: '^122;', path }] },
        {
          why: 'Set the price',
          call: [
            'edit_file',
            { path, old_string: '122;Transfer;business;8.50', new_string: '122;Transfer;business;9.10' },
          ],
        },
      ],
    },
    official: {
      steps: [
        { why: 'Read the table; its lines end in CRLF', call: ['read_text_file', { path }] },
        // An edit would turn CRLF into LF. The table is small, so a careful agent writes it anew.
        { why: 'Write it whole, with CRLF', call: ['write_file', { path, content: after }] },
      ],
    },
  },
}
