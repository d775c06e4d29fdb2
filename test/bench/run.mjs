/**
 * `npm run bench -- [first|search|edit|archive|command|shell|git|server|clients|storage|memory|harness|web]… [--large] [--rounds N] [--only TEXT] [--report]`:
 * speed compared with well-known tools. Prints ratios with their targets, and fails only when something can't run at all.
 * `--report` also writes docs/performance.md, on ARM docs/performance-arm64.md; groups that are not run keep their results there.
 */
import os from 'node:os'
import { parseArgs } from 'node:util'
import { benchArchive } from './archive.mjs'
import { benchClients } from './clients.mjs'
import { benchCommand } from './command.mjs'
import { benchEdit } from './edit.mjs'
import { benchFirst } from './first.mjs'
import { benchGit } from './git.mjs'
import { benchHarness } from './harness.mjs'
import { load } from './load.mjs'
import { status, table } from './measure.mjs'
import { benchMemory } from './memory.mjs'
import { recordResults } from './report.mjs'
import { benchSearch } from './search.mjs'
import { benchServer } from './server.mjs'
import { benchShell } from './shell.mjs'
import { benchStorage } from './storage.mjs'
import { benchWeb } from './web.mjs'

const parts = {
  first: benchFirst,
  search: benchSearch,
  edit: benchEdit,
  archive: benchArchive,
  command: benchCommand,
  shell: benchShell,
  git: benchGit,
  server: benchServer,
  clients: benchClients,
  storage: benchStorage,
  memory: benchMemory,
  harness: benchHarness,
  web: benchWeb,
}
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    large: { type: 'boolean' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    report: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(`npm run bench -- [GROUP]… [--large] [--rounds N] [--only TEXT] [--report]
Groups: ${Object.keys(parts).join(', ')}; all of them unless given.
--large: also the tree of 47,000 files. --only: rows that have this text. --report: writes the results to docs.`)
  process.exit()
}
const unknown = positionals.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`bench: no part is called ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

if (values.report && values.only !== undefined) {
  console.error('bench: a report has whole groups: --report and --only exclude each other')
  process.exit(2)
}

console.log(`${os.availableParallelism()} cores, Node ${process.version}, load ${os.loadavg()[0].toFixed(1)}`)
const ours = await load()
try {
  const rows = table()
  const options = { large: values.large ?? false, rounds: Number(values.rounds ?? 9), only: values.only ?? '' }
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    status(`preparing ${name}`)
    rows.group(name)
    const load = os.loadavg()[0]
    await parts[name](ours, rows, options)
    if (values.report) recordResults(rows.groups.at(-1), { ...options, load })
  }
  status('')
  console.log(rows.missed.length === 0 ? '\nall targets met' : `\nmissed: ${rows.missed.join('\n        ')}`)
} finally {
  ours.remove()
}
process.exit(0)
