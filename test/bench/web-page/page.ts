/** The same calls on a tree in memory and on the same tree in OPFS, in turns. */
import '../../../web/engine/no-eval.js'
import { type FileEndpoint, opfs, serveFiles } from '../../../web/index.js'

const tree = Object.fromEntries(
  Array.from({ length: 5000 }, (_, index) => [
    `d${index % 50}/f${index}.ts`,
    `export const value${index} = ${index}\n// a line of a file\n`.repeat(40),
  ]),
)

type Calls = (files: FileEndpoint, round: number) => Promise<unknown>

const work: Record<string, Calls> = {
  'read 200 files': (files) =>
    times(200, (index) => files.callTool('read_file', { path: `d${index % 50}/f${index}.ts` })),
  'list 50 directories': (files) => times(50, (index) => files.callTool('list_dir', { path: `d${index}` })),
  'grep all of it': (files) => files.callTool('grep', { pattern: 'value49[0-9]{2} ' }),
  'edit 50 files': (files, round) =>
    times(50, (index) =>
      files.callTool('edit_file', {
        path: `d${index}/f${index}.ts`,
        start_line: 1,
        end_line: 1,
        new_string: `// round ${round}\n`,
      }),
    ),
}

async function plant(files: Record<string, string>) {
  const store = await opfs(crypto.randomUUID())
  for (let index = 0; index < 50; index += 1) await store.makeDir(`/d${index}`)
  const entries = Object.entries(files)
  for (let start = 0; start < entries.length; start += 32) {
    const batch = entries.slice(start, start + 32)
    await Promise.all(batch.map(([path, text]) => store.writeFile(`/${path}`, new TextEncoder().encode(text))))
  }
  return store
}

/** What git does on 1,000 files, once each: the second time most of it is known. */
async function runGit() {
  const files = Object.fromEntries(Object.entries(tree).slice(0, 1000))
  const author = 'Bench <bench@example.org>'
  const results: Record<string, { storedMs: number; heldMs: number; ratio: number }> = {}
  const places = {
    storedMs: await serveFiles({ fs: await plant(files) }),
    heldMs: await serveFiles({ fs: { memory: files } }),
  }
  const git = (endpoint: FileEndpoint, args: object) => times(1, () => endpoint.callTool('git', args))
  const steps: Record<string, (endpoint: FileEndpoint) => Promise<unknown>> = {
    'init and add all': async (endpoint) => {
      await git(endpoint, { action: 'init' })
      await git(endpoint, { action: 'add', paths: ['.'] })
    },
    commit: (endpoint) => git(endpoint, { action: 'commit', message: 'first', author }),
    'status, clean': (endpoint) => git(endpoint, { action: 'status' }),
    'edit 50 and status': async (endpoint) => {
      await work['edit 50 files']?.(endpoint, 0)
      await git(endpoint, { action: 'status' })
    },
    'diff of 50': (endpoint) => git(endpoint, { action: 'diff' }),
    flush: (endpoint) => endpoint.flush(),
  }
  for (const [label, step] of Object.entries(steps)) {
    const storedMs = await timed(() => step(places.storedMs))
    const heldMs = await timed(() => step(places.heldMs))
    results[label] = { storedMs, heldMs, ratio: storedMs / heldMs }
  }
  for (const endpoint of Object.values(places)) await endpoint.close()
  return results
}

async function run(rounds: number) {
  const planting = performance.now()
  const store = await plant(tree)
  const plantedMs = performance.now() - planting
  const loading = performance.now()
  const stored = await serveFiles({ fs: store })
  const loadedMs = performance.now() - loading
  const held = await serveFiles({ fs: { memory: tree } })
  const results: Record<string, { storedMs: number; heldMs: number; ratio: number }> = {}
  for (const [label, calls] of Object.entries(work)) {
    const pairs: Array<[number, number]> = []
    for (let round = 0; round <= rounds; round += 1) {
      const pair: [number, number] = [await timed(() => calls(stored, round)), await timed(() => calls(held, round))]
      // The first only warms up.
      if (round > 0) pairs.push(pair)
    }
    results[label] = {
      storedMs: median(pairs.map(([own]) => own)),
      heldMs: median(pairs.map(([, other]) => other)),
      ratio: median(pairs.map(([own, other]) => own / other)),
    }
  }
  const flushedMs = await timed(() => stored.flush())
  await stored.close()
  await held.close()
  return { plantedMs, loadedMs, flushedMs, results }
}

/** Storing and opening a workspace, as a pack and file by file. */
async function runStorage() {
  const results: Record<string, { packedMs: number; plainMs: number; ratio: number }> = {}
  const note = (label: string, packedMs: number, plainMs: number) => {
    results[label] = { packedMs, plainMs, ratio: packedMs / plainMs }
  }
  const [packed, plain] = [crypto.randomUUID(), crypto.randomUUID()]
  const places = { packed: { opfs: packed, packed: true }, plain: { opfs: plain } }
  async function store(source: typeof places.plain) {
    const files = await serveFiles({ fs: { ...source, seed: tree } })
    await files.flush()
    await files.close()
  }
  note('store 5,000 files', await timed(() => store(places.packed)), await timed(() => store(places.plain)))
  const opened: Record<string, FileEndpoint> = {}
  async function open(name: 'packed' | 'plain') {
    opened[name] = await serveFiles({ fs: places[name] })
    await opened[name]?.callTool('list_dir', { path: 'd0' })
  }
  note('open 5,000 files', await timed(() => open('packed')), await timed(() => open('plain')))
  async function copy(name: 'packed' | 'plain') {
    const { exitCode } = (await opened[name]?.terminal('mkdir copy && cp -r d* copy/')) ?? {}
    if (exitCode !== 0) throw new Error('The copy failed')
    await opened[name]?.flush()
  }
  note(
    'copy 5,000 files in one command, and store',
    await timed(() => copy('packed')),
    await timed(() => copy('plain')),
  )
  async function edit(name: 'packed' | 'plain') {
    await work['edit 50 files']?.(opened[name] as FileEndpoint, 1)
    await opened[name]?.flush()
  }
  note('edit 50 files, and store', await timed(() => edit('packed')), await timed(() => edit('plain')))
  for (const files of Object.values(opened)) await files.close()
  return results
}

/** Edits of a stored workspace whose history becomes long: the median time of a call among the first thousand, and among the last. */
async function runHistory(calls: number) {
  const files = await serveFiles({ fs: { opfs: crypto.randomUUID(), packed: true, seed: { 'a.txt': 'turn -1\n' } } })
  const took: number[] = []
  for (let turn = 0; turn < calls; turn += 1) {
    const edit = { path: 'a.txt', old_string: `turn ${turn - 1}\n`, new_string: `turn ${turn}\n` }
    took.push(await timed(() => times(1, () => files.callTool('edit_file', edit))))
  }
  await files.close()
  return { early: median(took.slice(100, 1000)), late: median(took.slice(-900)) }
}

async function times(count: number, call: (index: number) => Promise<{ isError?: boolean }>): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { isError } = await call(index)
    if (isError) throw new Error('A call failed')
  }
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await action()
  return performance.now() - began
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] as number
}

Object.assign(globalThis, { run, runGit, runHistory, runStorage })
