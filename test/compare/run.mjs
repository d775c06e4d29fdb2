/** `npm run compare`: polyfs and the official file server, put through the same cases. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { peers } from '../bench/corpus.mjs'
import { cases } from './cases.mjs'
import { putThrough } from './run-case.mjs'

const project = fileURLToPath(new URL('../..', import.meta.url))
const official = '@modelcontextprotocol/server-filesystem'
const version = '2026.8.31'

execFileSync(process.execPath, [path.join(project, 'build/build.mjs'), 'cli'], { stdio: 'ignore' })
const theirs = path.join(peers(`${official}@${version}`), 'node_modules', official, 'dist/index.js')
const startOurs = (root) => [path.join(project, 'dist/node/cli.js'), root]
const startTheirs = (root) => [theirs, root]

console.log(`| | polyfs | ${official} ${version} |`)
console.log('|---|---|---|')
let failed = 0
for (const one of cases) {
  const own = await putThrough(startOurs, one.ours, one)
  const other = one.theirs ? await putThrough(startTheirs, one.theirs, one) : 'has no tool for it'
  if (own !== undefined) failed += 1
  console.log(`| ${one.name} | ${own ?? 'yes'} | ${other ?? 'yes'} |`)
}
process.exitCode = failed === 0 ? 0 : 1
