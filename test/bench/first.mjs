/** The first call of a server that was just started: what a user waits for at the beginning of a conversation. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageTree } from './corpus.mjs'
import { median } from './measure.mjs'
import { connect } from './stdio-client.mjs'

/** Between the answer to `initialize` and the first call. A model takes longer for its first word. */
const thinkingMs = 500

const targetMs = { read_file: 20, edit_file: 20, bash: 60 }

export async function benchFirst(ours, rows, { rounds, only }) {
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
      times.push(await firstCall(ours, small, name, args))
    }
    const oursMs = median(times.map(({ first }) => first))
    const theirsMs = median(times.map(({ second }) => second))
    rows.row(`first ${name} of a new server, its second`, { oursMs, theirsMs, ratio: oursMs / theirsMs })
    rows.note(`processor time of the first call ${median(times.map(({ cpu }) => cpu)).toFixed(0)} ms`)
    if (oursMs > targetMs[name]) rows.missed.push(`first ${name}: at most ${targetMs[name]} ms`)
  }
  fs.rmSync(small, { recursive: true, force: true })
  if (!wanted('grep')) return
  if (spawnSync('rg', ['--version']).status !== 0)
    return rows.note('rg is not installed: the first grep is not compared')
  const root = packageTree('medium')
  // Not /dev/null: there rg stops at the first match.
  const output = path.join(os.tmpdir(), `polyfs-first-${process.pid}.out`)
  const pairs = []
  for (let round = 0; round < rounds; round += 1) {
    const { first, second } = await firstCall(ours, root, 'grep', { pattern: 'useImperativeHandle' })
    const began = performance.now()
    spawnSync('sh', ['-c', `rg -n useImperativeHandle > '${output}'`], { cwd: root })
    pairs.push({ first, second, rg: performance.now() - began })
  }
  fs.rmSync(output, { force: true })
  const oursMs = median(pairs.map(({ first }) => first))
  const theirsMs = median(pairs.map(({ rg }) => rg))
  rows.row(
    'first grep of a new server, rg started by a shell',
    { oursMs, theirsMs, ratio: median(pairs.map(({ first, rg }) => first / rg)) },
    1.5,
  )
  rows.note(`the second grep takes ${median(pairs.map(({ second }) => second)).toFixed(1)} ms`)
}

async function firstCall(_ours, cwd, name, args) {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-first-state-'))
  const client = connect({ args: ['dist/node/cli.js', cwd], env: { ...process.env, XDG_STATE_HOME: state } })
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
