/** The source files and tests: modules that tasks are about, written out, among generated ones. */
import { filler } from './filler.mjs'
import { modules } from './modules.mjs'

const folders = {
  core: ['account', 'amount', 'balance', 'booking', 'entry', 'journal', 'rounding', 'tax', 'currency', 'interest'],
  store: ['index-file', 'lock', 'query', 'reader', 'snapshot', 'table-file', 'transaction', 'writer'],
  report: ['chart', 'columns', 'footer', 'grouping', 'header', 'summary', 'totals', 'widths'],
  format: ['csv', 'iban', 'json', 'number', 'plain', 'table', 'xml'],
  net: ['client', 'headers', 'listener', 'retry', 'router', 'session', 'upload'],
  mail: ['address', 'attachment', 'outbox', 'statement', 'template'],
  schedule: ['calendar-feed', 'cron', 'queue', 'reminder', 'worker'],
}

/** Modules that use `parseRecord`, beside those written out. */
const usersOfParseRecord = [
  'core/entry',
  'store/reader',
  'store/table-file',
  'store/query',
  'format/csv',
  'mail/address',
  'net/upload',
  'schedule/queue',
]

/** Modules that read a variable of the environment. */
export const variables = {
  'store/lock': 'LEDGER_LOCK_SECONDS',
  'store/writer': 'LEDGER_DATA_DIR',
  'net/listener': 'LEDGER_PORT',
  'net/client': 'LEDGER_PROXY',
  'mail/outbox': 'LEDGER_MAIL_HOST',
  'mail/template': 'LEDGER_LOCALE',
  'schedule/worker': 'LEDGER_WORKERS',
  'net/session': 'LEDGER_DATA_DIR',
}

export function sourceFiles() {
  const names = Object.entries(folders).flatMap(([folder, list]) => list.map((name) => `${folder}/${name}`))
  const generated = names.map((name, i) => [
    `src/${name}.js`,
    filler({ name, seed: i + 1, parsesRecords: usersOfParseRecord.includes(name), variable: variables[name] }),
  ])
  const tests = names.filter((_, i) => i % 2 === 0).map((name, i) => [`test/${name}.test.js`, testOf(name, i)])
  return Object.fromEntries([...generated, ...tests, ...Object.entries(modules)])
}

function testOf(name, number) {
  const title = name.replace('/', ': ').replaceAll('-', ' ')
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as subject from '../../src/${name}.js'

test('${title} exports functions only', () => {
  for (const value of Object.values(subject)) assert.equal(typeof value, 'function')
})

test('${title} has at least ${1 + (number % 2)} exports', () => {
  assert.ok(Object.keys(subject).length >= ${1 + (number % 2)})
})
`
}
