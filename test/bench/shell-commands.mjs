/** Commands in the emulated shell, beside just-bash. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { peers } from './corpus.mjs'
import { compare, median, timed } from './measure.mjs'

const megabytes = 18
const loopTargetMs = 300
/** Programs that are loaded with their first command, and what one costs after it. */
const starts = [
  { name: 'start of sqlite3', script: "sqlite3 :memory: 'select 1'" },
  { name: 'start of python3', script: 'python3 -c 1' },
]
const startTargetMs = 500
/** just-bash runs what takes it longer only once. */
const slowMs = 5000
const limits = {
  maxLoopIterations: 1e9,
  maxCommandCount: 1e9,
  maxCallDepth: 1e6,
  maxSedIterations: 1e9,
  maxAwkIterations: 1e9,
}

const loops = [
  { name: '20,000 turns of ((i++))', script: 'i=0; while ((i < 20000)); do ((i++)); done; echo $i' },
  { name: '20,000 turns of x=$((x+i))', script: 'x=0; for ((i = 0; i < 20000; i++)); do x=$((x+i)); done; echo $x' },
  { name: '2,000 substitutions', script: 'for ((i = 0; i < 2000; i++)); do x=$(echo $i); done; echo $x' },
]

/** `target`: a share of the time that just-bash takes. just-bash shows its own files in `/`, so the others are ours alone. */
const trees = [
  {
    count: 1000,
    scripts: {
      'grep -r of 1,000 files': { script: 'grep -rn needle . | wc -l', target: 0.3 },
      'grep by find of 1,000 files': { script: 'find . -name "*.ts" -exec grep -l needle {} + | wc -l' },
      'cat of 1,000 files': { script: 'cat part-*/* | wc -c' },
      'wc of 1,000 files': { script: 'wc -l part-*/* | tail -n 1' },
    },
  },
  {
    count: 10_000,
    scripts: {
      'grep -r of 10,000 files': { script: 'grep -rn needle . | wc -l', target: 0.3 },
      'find of 10,000 files': { script: 'find . -name "module-*" | wc -l' },
    },
  },
]

const tools = [
  'grep -c needle big',
  "sed 's/value/other/' big | tail -n 1",
  "awk '{ s += $2 } END { print s }' big",
  'sort big | tail -n 1',
  'uniq big | wc -l',
  "cut -d' ' -f2 big | tail -n 1",
  'tr a-z A-Z < big | tail -n 1',
  'wc big',
  'head -n 100000 big | wc -l',
  'tail -n 100000 big | wc -l',
]

export async function benchCommands(ours, rows, { rounds, only = '' }) {
  const wanted = (name) => name.includes(only)
  const few = Math.min(rounds, 3)
  const Bash = await justBash(rows)
  const shellOf = (tree) => {
    const shell = ours.emulatedShell({ worker: ours.commandWorker })
    const workspace = ours.createWorkspace({ fs: ours.memory(tree), shell })
    const theirs = Bash && new Bash({ files: tree, cwd: '/', executionLimits: limits })
    return { workspace, theirs }
  }
  const run = async ({ workspace }, command) => {
    const { stdout, exitCode } = await workspace.shell.exec({
      command,
      cwd: '/',
      timeoutMs: 600_000,
      maxStreamBytes: 1e6,
    })
    return `${exitCode} ${new TextDecoder().decode(stdout.bytes)}`
  }
  /** Ours alone where just-bash is missing or does not print the same. */
  const beside = async (name, shells, command) => {
    const printed = await run(shells, command)
    const started = performance.now()
    const other = await shells.theirs?.exec(command).catch((error) => ({ exitCode: error.message, stdout: '' }))
    const theirsMs = performance.now() - started
    const isSame = other !== undefined && `${other.exitCode} ${other.stdout}` === printed
    if (other !== undefined && !isSame)
      rows.note(`${name}: just-bash prints ${`${other.exitCode} ${other.stdout}`.slice(0, 60)}`)
    if (isSame && theirsMs < slowMs)
      return compare({ ours: () => run(shells, command), theirs: () => shells.theirs.exec(command), rounds: few })
    const times = []
    for (let round = 0; round < few; round += 1) times.push(await timed(() => run(shells, command)))
    const oursMs = median(times)
    return isSame ? { oursMs, theirsMs, ratio: oursMs / theirsMs } : { oursMs }
  }

  const small = shellOf({ '/a.txt': 'a\n' })
  for (const { name, script } of loops.filter((one) => wanted(one.name))) {
    const measured = await beside(name, small, script)
    rows.limit(name, measured.oursMs, loopTargetMs)
    if (measured.ratio !== undefined) rows.row(name, 'just-bash', measured)
  }
  for (const { name, script } of starts.filter((one) => wanted(one.name))) {
    // The first is not measured: what it loads is kept.
    await run(small, script)
    rows.limit(name, (await beside(name, small, script)).oursMs, startTargetMs)
  }
  if (wanted('first command')) await firstCommand(ours, rows, { Bash, rounds })
  if (wanted('four at once')) await fourAtOnce(small, run, rows, few)
  await small.workspace.shell.close()

  for (const { count, scripts } of trees) {
    const taken = Object.entries(scripts).filter(([name]) => wanted(name))
    if (taken.length === 0) continue
    const many = shellOf(manyFiles(count))
    for (const [name, { script, target }] of taken) {
      const measured = await beside(name, many, script)
      rows.row(`${name} in memory`, measured.ratio === undefined ? 'nothing' : 'just-bash', measured, target)
    }
    await many.workspace.shell.close()
  }

  const text = bigText()
  const big = shellOf({ '/big': text, '/part': text.slice(0, text.indexOf('\n', 1e6) + 1) })
  for (const command of tools.filter(wanted)) {
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 5)
    const printed = await run(big, command)
    clearInterval(watch)
    if (!printed.startsWith('0')) throw new Error(`${command}: ${printed}`)
    // Its time is not always proportional to the input, and it can't be interrupted.
    const probeMs = await timed(async () => big.theirs?.exec(command.replaceAll('big', 'part')))
    const isSlow = probeMs > slowMs
    if (isSlow) rows.note(`${command}: just-bash takes ${probeMs.toFixed(0)} ms for one megabyte, and is not compared`)
    const shells = isSlow ? { workspace: big.workspace } : big
    rows.row(`${command} (${megabytes} MB)`, 'just-bash', await beside(command, shells, command))
    rows.note(`${command}: the process grew by ${((peak - before) / 2 ** 20).toFixed(0)} MB`)
  }
  await big.workspace.shell.close()
}

async function firstCommand(ours, rows, { Bash, rounds }) {
  const fresh = async () => {
    const shell = ours.emulatedShell({ worker: ours.commandWorker })
    const workspace = ours.createWorkspace({ fs: ours.memory({ 'a.txt': 'a' }), shell })
    await workspace.shell.exec({ command: 'echo a', cwd: '/', timeoutMs: 10_000, maxStreamBytes: 1000 })
    await workspace.shell.close()
  }
  const theirs = Bash ? () => new Bash({ files: { '/a.txt': 'a' } }).exec('echo a') : undefined
  const name = 'first command of a new shell'
  if (theirs !== undefined)
    return rows.row(name, 'just-bash in process', await compare({ ours: fresh, theirs, rounds }))
  const times = []
  for (let round = 0; round < rounds; round += 1) times.push(await timed(fresh))
  rows.row(name, 'nothing', { oursMs: median(times) })
}

/** Each in a worker of its own: with enough processors four take hardly longer than one. */
async function fourAtOnce(shells, run, rows, rounds) {
  const command = 'for ((i = 0; i < 60000; i++)); do :; done'
  const all = (count) => () => Promise.all(Array.from({ length: count }, () => run(shells, command)))
  await all(4)()
  const measured = await compare({ ours: all(4), theirs: all(1), rounds })
  const processors = os.availableParallelism()
  const hasEnough = processors > 4
  rows.row('four commands at once', 'one command', measured, hasEnough ? 1.1 : undefined)
  if (!hasEnough) rows.note(`no target with ${processors} processors: four commands want more than four`)
  // What they cost does not depend on the number of processors.
  const costs = []
  for (let round = 0; round < rounds; round += 1) {
    const four = await processorMs(all(4))
    const one = await processorMs(async () => {
      for (let turn = 0; turn < 4; turn += 1) await all(1)()
    })
    costs.push({ oursMs: four, theirsMs: one, ratio: four / one })
  }
  const cost = costs.sort((a, b) => a.ratio - b.ratio)[rounds >> 1]
  rows.row('processor time of four commands at once', 'of four in turn', cost, 1.1)
}

async function processorMs(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export async function justBash(rows) {
  try {
    const manifest = path.join(peers('just-bash'), 'node_modules/just-bash/package.json')
    const { exports } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    const main = path.join(path.dirname(manifest), entryOf(exports['.']))
    return (await import(pathToFileURL(main).href)).Bash
  } catch (error) {
    rows.leftOut('just-bash', error)
    return undefined
  }
}

function manyFiles(count) {
  const tree = {}
  for (let i = 0; i < count; i += 1) {
    const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = compute(${i}, ${line})`)
    if (i % 50 === 0) lines[20] = 'const needle = 1'
    tree[`/part-${i % 40}/module-${i}.ts`] = `${lines.join('\n')}\n`
  }
  return tree
}

function bigText() {
  let text = ''
  for (let line = 0; text.length < megabytes * 1e6; line += 1) {
    text += `line ${line} value ${Math.imul(line, 2654435761) >>> 0} ${line % 1000 === 0 ? 'needle' : 'hay'}\n`
  }
  return text
}

function entryOf(target) {
  return typeof target === 'string' ? target : entryOf(target.node ?? target.import ?? target.default)
}
