/** Episodes beside what people copy trees with: memfs, the disk, just-bash. Ratios are ours to theirs, so 0.002 is 500 times as fast. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { commandsOfAnEpisode, editFiles, fileName } from './harness-rivals.mjs'
import { collectGarbage, compare, median, timed } from './measure.mjs'
import { justBash } from './shell-commands.mjs'

const files = 10_000

export async function benchHarness(ours, rows, { rounds, only }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-harness-'))
  try {
    const tree = treeOfFiles()
    const disk = path.join(scratch, 'start')
    for (const [file, text] of Object.entries(tree)) {
      fs.mkdirSync(path.dirname(path.join(disk, file)), { recursive: true })
      fs.writeFileSync(path.join(disk, file), text)
    }
    const shell = ours.emulatedShell({ worker: ours.commandWorker, workers: 4 })
    const episode = await ours.openEpisode({ files: tree, shell })
    const given = { ours, rows, rounds: Math.min(rounds, 5), tree, disk, scratch, shell, episode }
    const parts = { fork, generations, merges, work, commands, together, recorded, memory }
    for (const [name, run] of Object.entries(parts)) if (name.includes(only)) await run(given)
    await episode.close()
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

function treeOfFiles() {
  const tree = {}
  for (let i = 0; i < files; i += 1) {
    const lines = Array.from({ length: 20 }, (_, line) => `export const value${line} = compute(${i}, ${line})`)
    tree[fileName(i)] = `${lines.join('\n')}\n`
  }
  return tree
}

let copies = 0

function copyOnDisk({ disk, scratch }) {
  copies += 1
  const copy = path.join(scratch, `copy-${copies}`)
  spawnSync('cp', ['-r', disk, copy])
  return copy
}

/** Many forks at once, because one is too short for the clock. */
const forksAtOnce = 200

async function fork(given) {
  const { rows, rounds, episode, tree, rows: table } = given
  const many = () => {
    for (let i = 0; i < forksAtOnce; i += 1) episode.fork()
  }
  const each = (measured) => ({
    oursMs: measured.oursMs / forksAtOnce,
    theirsMs: measured.theirsMs,
    ratio: measured.ratio / forksAtOnce,
  })
  rows.row(
    `fork a workspace of ${files} files`,
    'copy of a memfs volume',
    each(await besideRival('a copy by memfs', { ours: many, rounds, tree })),
    1 / 2000,
  )
  const onDisk = () => copyOnDisk(given)
  rows.row(
    `fork a workspace of ${files} files`,
    'cp -r',
    each(await compare({ ours: many, theirs: onDisk, rounds })),
    1 / 500,
  )
  if ((await justBash(table)) === undefined) return
  rows.row(
    `fork a workspace of ${files} files`,
    'new Bash of just-bash',
    each(await besideRival('new Bash', { ours: many, rounds, tree })),
    1 / 2000,
  )
}

async function generations({ rows, rounds, episode }) {
  let last = episode
  for (let i = 0; i < 50; i += 1) {
    last = last.fork()
    await last.tools.call('write_file', { path: `/gen-${i}.txt`, content: 'x' })
  }
  const reading = (one) => async () => {
    for (let i = 0; i < 50; i += 1) await one.workspace.fs.readFile(`/work/part-${i % 100}/module-${i}.ts`)
  }
  const measured = await compare({ ours: reading(last), theirs: reading(episode), rounds: rounds * 3 })
  rows.row('50 reads in the 50th fork of forks', 'in the first', measured, 1.5)
}

/** Each fork changes ten files of its own lines, so that some files are merged by lines. Time of the processor, without the edits. */
async function merges({ ours, rows, rounds, tree }) {
  const times = []
  for (let round = 0; round < Math.max(3, rounds); round += 1) {
    const base = ours.createWorkspace({ fs: ours.memory(tree) })
    const forks = []
    for (let at = 0; at < 100; at += 1) forks.push(await editedFork(ours, base, at))
    const merged = []
    times.push(
      await processorMs(async () => {
        for (const one of forks) merged.push(await base.merge(one))
      }),
    )
    const changed = merged.reduce((sum, { merged: entries, conflicts }) => sum + entries.length - conflicts.length, 0)
    if (changed !== 1000) throw new Error(`${changed} entries were merged`)
  }
  rows.limit(`100 forks of ${files} files with 10 changes each, merged`, median(times), 500, 'ms')
}

/** Ten files, which the forks before and after it change too, in other lines. */
async function editedFork({ callTool, polyfs }, base, at) {
  const one = await base.fork()
  for (let index = 0; index < 10; index += 1) {
    const path = fileName((Math.floor(at / 4) * 97 + index * 11) % files)
    const line = 2 + 5 * (at % 4)
    const args = { path, old_string: `value${line} =`, new_string: `merged${at} =` }
    const { isError } = await callTool(one, polyfs, 'edit_file', args)
    if (isError) throw new Error(path)
  }
  return one
}

/** 20 reads, 10 edits, 5 new files, what changed, and a hash of it all. */
async function work(given) {
  const { rows, rounds, episode, tree } = given
  const ours = async () => {
    const one = episode.fork()
    for (let i = 0; i < 20; i += 1) await one.tools.call('read_file', { path: fileName(i) })
    for (let i = 0; i < 10; i += 1)
      await one.tools.call('edit_file', { path: fileName(i), edits: [{ old_string: 'value7', new_string: 'other7' }] })
    for (let i = 0; i < 5; i += 1) await one.tools.call('write_file', { path: `/new-${i}.ts`, content: 'x\n' })
    const changes = await one.changes()
    if (changes.length !== 15) throw new Error(`${changes.length} changes`)
    await one.stateHash()
  }
  const onDisk = () => {
    const copy = copyOnDisk(given)
    editFiles(fs, copy)
    const { stdout } = spawnSync('diff', ['-rq', given.disk, copy])
    if (stdout.toString().split('\n').length !== 16) throw new Error(stdout.toString())
  }
  rows.row(
    'an episode of 35 calls, with what it changed',
    'memfs, copied and compared',
    await besideRival('memfs', { ours, rounds, tree }),
    1 / 40,
  )
  rows.row(
    'an episode of 35 calls, with what it changed',
    'cp -r, node:fs, diff -r',
    await compare({ ours, theirs: onDisk, rounds, steady: true }),
    1 / 20,
  )
}

async function commands({ rows, rounds, episode, tree }) {
  const ours = async () => {
    const one = episode.fork()
    for (const command of commandsOfAnEpisode) {
      const { isError } = await one.tools.call('bash', { command })
      if (isError) throw new Error(command)
    }
  }
  if ((await justBash(rows)) === undefined) return
  const measured = await besideRival('just-bash', { ours, rounds, tree })
  rows.row('an episode of five commands', 'just-bash', measured, 1 / 15)
}

/**
 * Each side as in a process that runs nothing but its own episodes, thousands of them. So the rival has a heap of its own: after a
 * collection of the hundred megabytes that it leaves behind, our next episodes would take twice as long.
 */
async function besideRival(name, { ours, rounds, tree }) {
  const thread = new Worker(new URL('harness-rivals.mjs', import.meta.url), { workerData: { name, tree } })
  try {
    const theirs = async () => {
      thread.postMessage('run')
      const [failure] = await once(thread, 'message')
      if (failure !== undefined) throw new Error(failure)
    }
    return await compare({ ours, theirs, rounds: rounds * 3, steady: true })
  } finally {
    await thread.terminate()
  }
}

/** Four at once use two cores, so the time of the processor is what counts. */
async function together({ rows, rounds, episode }) {
  const command = 'for ((i = 0; i < 300; i++)); do x=$((x + i)); done; echo $x'
  const forks = Array.from({ length: 4 }, () => episode.fork())
  const call = (one) => one.tools.call('bash', { command })
  const alone = async () => {
    for (const one of forks) await call(one)
  }
  const atOnce = () => Promise.all(forks.map(call))
  for (let i = 0; i < 10; i += 1) await atOnce()
  const ratios = []
  for (let i = 0; i < rounds * 5; i += 1) {
    const one = await processorMs(alone)
    const four = await processorMs(atOnce)
    ratios.push({ one, four, ratio: four / one })
  }
  const measured = {
    oursMs: median(ratios.map(({ four }) => four)) / 4,
    theirsMs: median(ratios.map(({ one }) => one)) / 4,
    ratio: median(ratios.map(({ ratio }) => ratio)),
  }
  rows.row('processor time of a command, four at once', 'one at once', measured, 1.1)
}

async function processorMs(run) {
  const used = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(used)
  return (user + system) / 1000
}

/** The same calls of the same tools on a workspace without a record. */
async function recorded({ ours, rows, rounds, episode, tree }) {
  const start = ours.memory(tree)
  const args = { path: '/work/part-1/module-1.ts', edits: [{ old_string: 'value7', new_string: 'other7' }] }
  const read = { path: '/work/part-2/module-2.ts' }
  const session = {}
  const calls = async (call) => {
    for (let i = 0; i < 10; i += 1) {
      await call('read_file', read)
      await call('read_file', { ...read, offset: i + 1 })
    }
    await call('edit_file', args)
    await call('history', { action: 'undo' })
  }
  const withRecord = async () => {
    const one = episode.fork()
    await calls((tool, given) => one.tools.call(tool, given))
  }
  const without = async () => {
    const workspace = ours.createWorkspace({ fs: start.fork(), now: () => 0, watchCommands: false })
    await calls((tool, given) => ours.callTool(workspace, ours.polyfs, tool, given, { session }))
  }
  const measured = await compare({ ours: withRecord, theirs: without, rounds: rounds * 5 })
  rows.row('22 recorded calls', 'not recorded', measured, 1.15)
}

async function memory({ rows, episode }) {
  const open = async () => {
    const one = episode.fork()
    for (let i = 0; i < 15; i += 1)
      await one.tools.call('write_file', { path: `/m-${i}.txt`, content: 'x'.repeat(200) })
    return one
  }
  await open()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const held = []
  const ms = await timed(async () => {
    for (let i = 0; i < 200; i += 1) held.push(await open())
  })
  collectGarbage()
  const kilobytes = (process.memoryUsage().heapUsed - before) / held.length / 1000
  rows.limit('memory of an open episode with 15 changes', kilobytes, 100, 'kB')
  rows.note(`${(ms / held.length).toFixed(2)} ms to open one and make its 15 changes`)
}
