/** `npm run compare`: polyfs and the official file server, put through the same cases, or at work for an agent. */
import { cases } from './cases.mjs'
import { putThrough } from './run-case.mjs'
import { buildOurs, installOfficial, officialName } from './servers.mjs'

const [mode, ...rest] = process.argv.slice(2)
if (mode === 'agents') {
  const { runAgents } = await import('./agents/run.mjs')
  process.exitCode = await runAgents(rest)
} else if (mode === undefined) {
  process.exitCode = await runCases()
} else {
  console.error(`compare: there is no mode ${mode}; without one the cases run, agents compares whole tasks`)
  process.exitCode = 2
}

async function runCases() {
  const startOurs = buildOurs()
  const startTheirs = installOfficial()
  console.log(`| | polyfs | ${officialName} |`)
  console.log('|---|---|---|')
  let failed = 0
  for (const one of cases) {
    const own = await putThrough(startOurs, one.ours, one)
    const other = one.theirs ? await putThrough(startTheirs, one.theirs, one) : 'has no tool for it'
    if (own !== undefined) failed += 1
    console.log(`| ${one.name} | ${own ?? 'yes'} | ${other ?? 'yes'} |`)
  }
  return failed === 0 ? 0 : 1
}
