/** Source files that tasks are about. */

const record = `/** One line of a file, split into its fields. Quoted fields may hold the separator. */
export function parseRecord(line, separator = ';') {
  const fields = []
  let field = ''
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      fields.push(field)
      field = ''
    } else field += character
  }
  return [...fields, field]
}

/** All lines of a text; see \`parseRecord\`. */
export function parseRecords(text, separator) {
  return text.split('\\n').map((line) => parseRecord(line, separator))
}

/** The header of a file, as an object from name to position. */
export function parseRecordHeader(line) {
  return Object.fromEntries(parseRecord(line).map((name, position) => [name, position]))
}
`

const money = `/** Rounds to the nearest; what lies in the middle goes to the even neighbour, as banks do. */
export function roundHalfEven(amount, digits) {
  const factor = 10 ** digits
  const scaled = amount * factor
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  if (rest < 0.5) return floor / factor
  if (rest > 0.5) return (floor + 1) / factor
  return (floor % 2 === 0 ? floor : floor + 1) / factor
}
`

const paging = `/** How many entries a page has when nothing else is asked for. */
export const pageSize = 20

/** The number of pages that so many entries take; an empty report has one. */
export function pageCount(length, size = pageSize) {
  return Math.max(1, Math.ceil(length / size))
}

/** The entries of one page; pages count from 1. */
export function entriesOfPage(entries, page, size = pageSize) {
  const first = (page - 1) * size
  const start = page > 1 ? first - 1 : first
  return entries.slice(start, first + size)
}

/** What stands below a page. */
export function pageLabel(page, length, size = pageSize) {
  return \`page \${page} of \${pageCount(length, size)}\`
}
`

const periods = `const quarters = { 1: 'Q1', 2: 'Q2', 3: 'Q3', 4: 'Q4' }

/** The month of a date such as 2026-03-14, from 1. */
export function monthOf(date) {
  return Number(date.slice(5, 7))
}

/** The period that a date is booked in, such as 2026-Q1. */
export function periodOf(date) {
  const quarter = quarters[Math.floor(monthOf(date) / 3)]
  if (quarter === undefined) throw new RangeError(\`unknown period for \${date}\`)
  return \`\${date.slice(0, 4)}-\${quarter}\`
}

/** Whether a date lies in a period. */
export function isInPeriod(date, period) {
  return periodOf(date) === period
}
`

const commandNames = ['book', 'export', 'import', 'list', 'report', 'serve']

const commands = Object.fromEntries(
  commandNames.map((name) => [
    `src/commands/${name}.js`,
    `/** \`ledger ${name}\` */
export const ${name}Command = {
  name: '${name}',
  summary: '${summaryOf(name)}',
  async run(context) {
    await context.${name}()
    return 0
  },
}
`,
  ]),
)

function summaryOf(name) {
  const summaries = {
    book: 'Book an entry',
    export: 'Write entries to a file',
    import: 'Read entries from a file',
    list: 'List accounts and balances',
    report: 'Print a report',
    serve: 'Start the server',
  }
  return summaries[name]
}

const commandIndex = `${commandNames.map((name) => `import { ${name}Command } from './${name}.js'`).join('\n')}

/** All commands, in the order of the help. */
export const commands = [
${commandNames.map((name) => `  ${name}Command,`).join('\n')}
]
`

const cli = `#!/usr/bin/env node
import { commands } from './commands/index.js'
import { createContext } from './context.js'

const [name, ...rest] = process.argv.slice(2)
const command = commands.find((one) => one.name === name)
if (command === undefined) {
  console.error(commands.map((one) => \`\${one.name.padEnd(8)}\${one.summary}\`).join('\\n'))
  process.exitCode = 2
} else process.exitCode = await command.run(createContext(rest))
`

const context = `import { entriesOfPage } from './report/paging.js'
import { periodOf } from './core/periods.js'
import { faxStatement } from './fax/send.js'

/** What commands work with. */
export function createContext(args) {
  return {
    args,
    pages: entriesOfPage,
    period: periodOf,
    fax: faxStatement,
    isVerbose: process.env.LEDGER_VERBOSE === '1',
  }
}
`

/** A feature that nobody uses any more. */
const fax = {
  'src/fax/send.js': `import { faxNumber } from './number.js'
import { faxPages } from './pages.js'

/** Sends a statement by fax. */
export async function faxStatement(line, statement) {
  for (const page of faxPages(statement)) await line.send(faxNumber(statement.account), page)
}
`,
  'src/fax/number.js': `/** The fax number of an account, digits only. */
export function faxNumber(account) {
  return String(account.fax).replaceAll(/\\D/g, '')
}
`,
  'src/fax/pages.js': `const linesOnPage = 66

/** Splits a statement into pages of a fax. */
export function faxPages(statement) {
  const pages = []
  for (let i = 0; i < statement.lines.length; i += linesOnPage) pages.push(statement.lines.slice(i, i + linesOnPage))
  return pages
}
`,
  'test/fax/send.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faxStatement } from '../../src/fax/send.js'

test('an empty statement sends nothing', async () => {
  const sent = []
  await faxStatement({ send: (...page) => sent.push(page) }, { account: { fax: '1' }, lines: [] })
  assert.deepEqual(sent, [])
})
`,
}

const recordTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRecord, parseRecords } from '../../src/core/record.js'

test('parseRecord splits at the separator', () => {
  assert.deepEqual(parseRecord('a;b'), ['a', 'b'])
})

test('parseRecord leaves quoted separators', () => {
  assert.deepEqual(parseRecord('"a;b";c'), ['a;b', 'c'])
})

test('parseRecords takes a text', () => {
  assert.deepEqual(parseRecords('a\\nb'), [['a'], ['b']])
})
`

export const modules = {
  'src/core/record.js': record,
  'src/core/money.js': money,
  'src/core/periods.js': periods,
  'src/report/paging.js': paging,
  'src/commands/index.js': commandIndex,
  'src/cli.js': cli,
  'src/context.js': context,
  'src/version.js': "/** The version of this program. */\nexport const version = '2.4.1'\n",
  'test/core/record.test.js': recordTest,
  ...commands,
  ...fax,
}
