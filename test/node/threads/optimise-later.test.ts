import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstTimes, flagOf } from '../../../node/threads/optimise-later.js'
import { built } from '../cli/built.js'

const flag = flagOf(process.versions.v8)

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'polyfs-optimise-'))
  await Promise.all(Array.from({ length: 300 }, (_, i) => writeFile(join(root, `${i}.txt`), `file ${i}\n`)))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** A program of its own, without the flags that tests run with. Prints the flags that V8 was given, and how many it had been given by then. */
const program = `
import v8 from 'node:v8'
const [library, searchWorker, directory, times] = process.argv.slice(1)
const flagsSet = []
v8.setFlagsFromString = (text) => flagsSet.push(text)
const { openDirectories } = await import(library)
const options = { readOnly: true, searchWorker, searchThreads: 2 }
const { internals, close } = await openDirectories([{ directory, access: 'read-only' }], options)
async function* files() {
  yield { directory, entries: Array.from({ length: 300 }, (_, i) => ({ name: i + '.txt', kind: 'file' })) }
}
const search = () => internals.searcher.search(files(), { matcher: { pattern: 'file', syntax: 'literal' }, mode: 'files' })
const all = async () => {
  for await (const _ of search());
}
const counts = []
await all()
counts.push(flagsSet.length)
await Promise.all([all(), all()])
counts.push(flagsSet.length)
for await (const _ of search()) break
counts.push(flagsSet.length)
for (let i = 0; i < Number(times); i += 1) await all()
counts.push(flagsSet.length)
close()
console.log(JSON.stringify({ flagsSet, counts }))
process.exit()
`

function run(...argv: string[]): { flagsSet: string[]; counts: number[] } {
  const library = pathToFileURL(built('node/index.js')).href
  const args = [
    ...argv,
    '--input-type=module',
    '-e',
    program,
    library,
    built('node/search-worker.js'),
    root,
    `${firstTimes}`,
  ]
  return JSON.parse(execFileSync(process.execPath, args).toString())
}

it.skipIf(flag === undefined)('the usual value is the default of this V8', () => {
  const options = execFileSync(process.execPath, ['--v8-options']).toString()
  expect(options).toContain(`default: --${flag?.name}=${flag?.usual}\n`)
})

it('while threads search for the first times, and as usual after each', () => {
  const pair = flag === undefined ? [] : [`--${flag.name}=${flag.later}`, `--${flag.name}=${flag.usual}`]
  const { flagsSet, counts } = run()
  expect(flagsSet).toEqual(Array.from({ length: firstTimes }, () => pair).flat())
  // Two at once count as one.
  expect(counts).toEqual([1, 2, 3, firstTimes].map((times) => times * pair.length))
})

it.skipIf(flag === undefined)('not where the flag was given', () => {
  expect(run(`--${flag?.name}=100000`).flagsSet).toEqual([])
})
