/** Calls that are answered without waiting, beside the same calls that wait. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDirectories } from '../../node/workspace.js'
import { callTool, callToolNow, type Dialect } from '../../src/dialects/dialect.js'
import { boundedInFlight } from '../../src/dialects/in-flight.js'
import { dialects } from '../../src/dialects/index.js'
import { memory } from '../../src/fs/memory.js'
import { createWorkspace, type Workspace } from '../../src/workspace.js'

const encoder = new TextEncoder()

/** Whatever reading has to tell apart. */
const files: Readonly<Record<string, Uint8Array>> = {
  'plain.txt': encoder.encode('one\ntwo "quoted" \\ and a\ttab\nthree'),
  'empty.txt': new Uint8Array(),
  'ended.txt': encoder.encode('one\n\n\n'),
  'endings.txt': encoder.encode('lf\ncrlf\r\ncr\rend'),
  'marked.txt': encoder.encode('\ufeffwith a mark\n'),
  'wide.txt': encoder.encode('žluťoučký 🐎\u2028next\n'),
  'utf-16.txt': Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0]),
  'broken.txt': Uint8Array.from([0x61, 0xff, 0xc3, 0x0a, 0xed, 0xa0, 0x80]),
  'binary.bin': Uint8Array.from([1, 0, 2]),
  'long-line.txt': encoder.encode('x'.repeat(5000)),
  'most.txt': encoder.encode('0123456\n'.repeat(8192)),
  'too-much.txt': encoder.encode(`${'0123456\n'.repeat(8192)}8`),
}

const paths = [
  ...Object.keys(files),
  '.',
  '',
  '/',
  'missing.txt',
  'sub/../plain.txt',
  '../out',
  'link.txt',
  'out.txt',
  'pipe',
]

const backends: Readonly<Record<string, () => Promise<Workspace>>> = { disk: onDisk, memory: inMemory }

describe.each(Object.entries(backends))('%s', (_backend, open) => {
  it.each(['clarvis'])('%s answers the same', async (name) => {
    const dialect = boundedInFlight(dialects[name] as Dialect, { calls: 8, ofOneTool: 8 })
    const workspace = await open()
    await workspace.ready
    const quick = dialect.tools.filter(({ now }) => now !== undefined)
    for (const tool of quick) {
      const given = paths.flatMap((at) => ranges.map((range) => ({ path: at, ...range })))
      const answered = given.filter((args) => callToolNow(workspace, dialect, tool.name, args) !== undefined)
      for (const args of answered) {
        const result = callToolNow(workspace, dialect, tool.name, args)
        expect({ args, result }).toEqual({ args, result: await callTool(workspace, dialect, tool.name, args) })
      }
      const whole = answered.filter((args) => !('offset' in args)).map((args) => args.path)
      expect([...new Set(whole)]).toEqual([...readable, 'sub/../plain.txt'])
    }
  })
})

/** What needs to wait for nothing: neither a link to follow nor so much to read, and no reason to give for a failure. */
const readable = Object.keys(files).filter((name) => name !== 'binary.bin' && name !== 'too-much.txt')

const ranges = [
  {},
  { limit: 3 },
  { offset: 2 },
  { offset: -1 },
  { offset: 2, limit: 1 },
  { offset: 0 },
  { offset: 'x' },
]

async function onDisk(): Promise<Workspace> {
  const outer = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-without-waiting-'))
  onTestFinished(() => fs.rmSync(outer, { recursive: true }))
  const directory = path.join(outer, 'root')
  fs.mkdirSync(path.join(directory, 'sub'), { recursive: true })
  for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), bytes)
  fs.symlinkSync('plain.txt', path.join(directory, 'link.txt'))
  fs.writeFileSync(path.join(outer, 'secret.txt'), 'secret')
  fs.symlinkSync('../secret.txt', path.join(directory, 'out.txt'))
  execFileSync('mkfifo', [path.join(directory, 'pipe')])
  const workspace = await openDirectories([{ directory, access: 'read-only' }])
  onTestFinished(() => workspace.close())
  return workspace
}

async function inMemory(): Promise<Workspace> {
  const tree = memory({})
  for (const [name, bytes] of Object.entries(files)) await tree.writeFile(`/${name}`, bytes as Uint8Array<ArrayBuffer>)
  return createWorkspace({ fs: tree, readOnly: true })
}
