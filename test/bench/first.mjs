/** The first call of a server that was just started: what a user waits for at the beginning of a conversation. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { packageTree } from './corpus.mjs'
import { median } from './measure.mjs'
import { ripgreps } from './ripgrep.mjs'
import { connect } from './stdio-client.mjs'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Between the answer to `initialize` and the first call. A model takes longer for its first word. */
const thinkingMs = 500

const targetMs = { read_file: 20, edit_file: 20, bash: 60 }

export async function benchFirst(_ours, rows, { rounds, only }) {
  execFileSync(process.execPath, [path.join(project, 'build/build.mjs'), 'cli'], { stdio: 'ignore' })
  const wanted = (name) => `first ${name}`.includes(only)
  const small = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-first-'))
  fs.writeFileSync(path.join(small, 'a.txt'), 'one\ntwo\nthree\n')
  const calls = [
    ['read_file', { path: 'a.txt' }],
    ['edit_file', { path: 'a.txt', old_string: 'two', new_string: 'two' + '!' }],
    ['bash', { command: 'echo a' }],
  ]
  for (const [name, args] of calls) {
    if (!wanted(name)) continue
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      fs.writeFileSync(path.join(small, 'a.txt'), 'one\ntwo\nthree\n')
      times.push(await firstCall(small, name, args))
    }
    const oursMs = median(times.map(({ first }) => first))
    rows.limit(`first ${name} of a new conversation`, oursMs, targetMs[name])
    const [second, cpu] = ['second', 'cpu'].map((key) => median(times.map((time) => time[key])))
    rows.note(`${name}: the second takes ${second.toFixed(1)} ms; processor time of the first is ${cpu.toFixed(0)} ms`)
  }
  fs.rmSync(small, { recursive: true, force: true })
  if (!wanted('grep')) return
  const rivals = ripgreps(rows)
  const root = packageTree('medium')
  // Not /dev/null: there rg stops at the first match.
  const output = path.join(os.tmpdir(), `polyfs-first-${process.pid}.out`)
  const pairs = []
  for (let round = 0; round < rounds; round += 1) {
    const { first, second } = await firstCall(root, 'grep', { pattern: 'useImperativeHandle' })
    const theirs = rivals.map(({ command }) => {
      const began = performance.now()
      // With a path: without one rg would search its standard input.
      spawnSync('sh', ['-c', `'${command}' -n --hidden -g '!.git' useImperativeHandle . > '${output}'`], { cwd: root })
      return performance.now() - began
    })
    pairs.push({ first, second, theirs })
  }
  fs.rmSync(output, { force: true })
  const oursMs = median(pairs.map(({ first }) => first))
  for (const [index, { name }] of rivals.entries()) {
    const theirsMs = median(pairs.map(({ theirs }) => theirs[index]))
    const ratio = median(pairs.map(({ first, theirs }) => first / theirs[index]))
    rows.row('first grep of a new conversation', `${name} from a shell`, { oursMs, theirsMs, ratio }, 1.5)
  }
  rows.note(`the second grep takes ${median(pairs.map(({ second }) => second)).toFixed(1)} ms`)
}

async function firstCall(cwd, name, args) {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-first-state-'))
  const client = connect({
    args: [path.join(project, 'dist/node/cli.js'), cwd],
    env: { ...process.env, XDG_STATE_HOME: state },
  })
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  client.notify('notifications/initialized')
  await client.request('tools/list', {})
  await sleep(thinkingMs)
  const call = async (given) => {
    const began = performance.now()
    const { result } = await client.request('tools/call', { name, arguments: given })
    if (result?.isError) throw new Error(`${name} failed: ${result.content[0].text}`)
    return performance.now() - began
  }
  const before = client.cpuMs()
  const first = await call(args)
  const cpu = client.cpuMs() - before
  const again = args.old_string === undefined ? args : { ...args, old_string: 'three', new_string: 'three!' }
  const second = await call(again)
  await client.end()
  fs.rmSync(state, { recursive: true, force: true })
  return { first, second, cpu }
}
