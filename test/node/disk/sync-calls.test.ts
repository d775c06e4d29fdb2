/** Calls that are answered without waiting, beside the same calls that wait. */

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { clarvis, polyfs } from '../../../src/index.js'
import { callTool, callToolSync } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { boundedInFlight } from '../../../src/tools/in-flight-limits.js'
import { withStructuredResults } from '../../../src/tools/structured-results.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'

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

const structured = withStructuredResults(polyfs)

describe.each(Object.entries(backends))('%s', (_backend, open) => {
  it('clarvis answers the same', async () => {
    const given = paths.flatMap((path) => clarvisRanges.map((range) => ({ path, ...range })))
    const answered = await compare(clarvis, await open(), given)
    // What waits for nothing: neither a link to follow nor so much to read, and no reason to give for a failure.
    const readable = Object.keys(files).filter((name) => name !== 'binary.bin' && name !== 'too-much.txt')
    expect(wholeFiles(answered)).toEqual([...readable, 'sub/../plain.txt'])
  })

  it.each(Object.entries({ polyfs, structured }))('%s answers the same', async (_name, dialect) => {
    const workspace = await open()
    const given = paths.flatMap((path) => polyfsRanges.map((range) => ({ path, ...range })))
    const answered = await compare(dialect, workspace, given)
    const readable = Object.keys(files).filter((name) => name !== 'too-much.txt')
    expect(wholeFiles(answered)).toEqual([...readable, 'sub/../plain.txt'])
    const inPieces = answered.filter(({ args }) => 'unit' in args || args.format === 'base64')
    expect(inPieces).toEqual([])

    const further = answered.flatMap(({ args, cursor }) => (cursor === undefined ? [] : [{ ...args, cursor }]))
    expect(further.map(({ path }) => path)).toContain('long-line.txt')
    const others = further.map((args) => ({ ...args, path: 'plain.txt' }))
    expect(await compare(dialect, workspace, [...further, ...others])).toHaveLength(further.length)
    const several = [{ paths: ['plain.txt'] }, { path: 'plain.txt', paths: ['empty.txt'] }, { paths: [] }, {}]
    expect(await compare(dialect, workspace, several)).toMatchObject([{ args: { paths: ['plain.txt'] } }])
  })
})

interface Args extends Record<string, unknown> {
  path?: string
}

interface Answered {
  args: Args
  cursor?: string
}

/** Those of the calls that are answered without waiting, each with the same answer as when it waits. */
async function compare(given: Dialect, workspace: Workspace, calls: readonly Args[]): Promise<Answered[]> {
  const dialect = boundedInFlight(given, { calls: 8, ofOneTool: 8 })
  await workspace.ready
  const answered: Answered[] = []
  for (const args of calls) {
    const result = callToolSync(workspace, dialect, 'read_file', args)
    if (result === undefined) continue
    expect({ args, result }).toEqual({ args, result: await callTool(workspace, dialect, 'read_file', args) })
    const cursor = result.facts?.cursor
    answered.push({ args, ...(typeof cursor === 'string' && { cursor }) })
  }
  return answered
}

/** The paths that were answered with no more said. */
function wholeFiles(answered: readonly Answered[]): unknown[] {
  return answered.filter(({ args }) => Object.keys(args).length === 1).map(({ args }) => args.path)
}

const clarvisRanges: readonly Args[] = [
  {},
  { limit: 3 },
  { offset: 2 },
  { offset: -1 },
  { offset: 2, limit: 1 },
  { offset: 0 },
  { offset: 'x' },
]

const polyfsRanges: readonly Args[] = [
  ...clarvisRanges,
  { max_tokens: 256 },
  { max_tokens: 256, format: 'raw' },
  { max_tokens: 256, offset: -2 },
  { max_tokens: 1 },
  { format: 'raw' },
  { format: 'raw', offset: -1, limit: 1 },
  { format: 'base64' },
  { unit: 'bytes' },
  { unit: 'bytes', offset: -3 },
  { cursor: 'none of ours' },
  { limit: 0 },
  { more: true },
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
