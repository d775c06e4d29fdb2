/** Files in any encoding through our own tools: what is read can be edited, written and searched, and no other byte changes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { realDisk } from '../../real-disk.js'
import { scaled } from '../../scale.js'

interface Stage {
  workspace: Workspace
  put(bytes: Uint8Array): Promise<void>
  get(): Promise<Uint8Array>
}

const stages: [name: string, open: () => Promise<Stage>, rounds: number][] = [
  [
    'in memory',
    async () => {
      const fs = memory()
      const put = async (bytes: Uint8Array) => fs.writeFile('/a.txt', bytes as Uint8Array<ArrayBuffer>)
      return { workspace: createWorkspace({ fs }), put, get: () => fs.readFile('/a.txt') }
    },
    600,
  ],
  [
    'in a real directory',
    async () => {
      const directory = await mkdtemp(join(realDisk, 'polyfs-encodings-'))
      const stateDirectory = `${directory}-state`
      const opened = await openDirectories([{ directory, access: 'read-write' }], { stateDirectory, fsync: false })
      onTestFinished(async () => {
        opened.close()
        for (const each of [directory, stateDirectory]) await rm(each, { recursive: true, force: true })
      })
      const file = join(directory, 'a.txt')
      return {
        workspace: opened,
        put: (bytes) => writeFile(file, bytes),
        get: async () => new Uint8Array(await readFile(file)),
      }
    },
    80,
  ],
]

const utf8 = (text: string) => [...new TextEncoder().encode(text)]
const latin1 = (text: string) => Array.from(text, (character) => character.charCodeAt(0))
const wide = (text: string) => latin1(text).flatMap((byte) => [byte, 0])
const word = fc.constantFrom('one', 'two', ' ', '\n', '\r\n', 'caf', 'mark')
const high = fc.constantFrom('\xe9', '\xe8', '\x80', '\x92', '\xa0\xbb', '\xdf')
const multi = fc.constantFrom('é', 'ß', '日本', '“', '😀')

/** Each with a word to find in the middle. */
const someFile = fc
  .tuple(
    fc.constantFrom('latin', 'mixed', 'utf-8', 'wide', 'wide with mark', 'any'),
    fc.array(fc.record({ word, high, multi, pick: fc.nat(5), any: fc.uint8Array({ maxLength: 3 }) }), { maxLength: 8 }),
    fc.nat(8),
  )
  .map(([kind, pieces, at]) => {
    const target = { word: 'TARGET', high: '', multi: '', pick: 0, any: new Uint8Array() }
    const all = [...pieces.slice(0, at), target, ...pieces.slice(at)]
    const bytes = all.flatMap((piece) => {
      if (kind.startsWith('wide')) return wide(piece.word + (piece.pick > 2 ? piece.high : ''))
      const broken = kind === 'latin' || (kind === 'mixed' && piece.pick === 0) ? latin1(piece.high) : utf8(piece.multi)
      const own = kind === 'any' ? [...piece.any] : broken
      return [...latin1(piece.word), ...(piece.word === 'TARGET' ? [] : own)]
    })
    return Uint8Array.from(kind === 'wide with mark' ? [0xff, 0xfe, ...bytes] : bytes)
  })

/** So that few samples have every encoding too. */
const oneOfEach = [utf8('é TARGET'), latin1('caf\xe9 TARGET'), [0xff, 0xfe, ...wide('TARGET')]].map(
  (bytes): [Uint8Array<ArrayBuffer>] => [Uint8Array.from(bytes)],
)

describe.each(stages)('a file %s', (_name, open, rounds) => {
  test('keeps every byte that an edit does not name', async () => {
    const { workspace, put, get } = await open()
    let edited = 0
    await fc.assert(
      fc.asyncProperty(someFile, fc.constantFrom('x', 'é', '€ é', 'a\nb', '→'), async (bytes, replacement) => {
        await put(bytes)
        const answer = await call(workspace, 'edit_file', {
          path: 'a.txt',
          old_string: 'TARGET',
          new_string: replacement,
        })
        const after = await get()
        if (answer.isError) {
          expect(answer.text).toMatch(/^(binary|unencodable): /)
          expect(after).toEqual(bytes)
          return
        }
        edited += 1
        const isWide = (await info(workspace, bytes, put)).startsWith('utf-16')
        const target = Uint8Array.from((isWide ? wide : latin1)('TARGET'))
        const at = Buffer.from(bytes).indexOf(target)
        // The replacement may end its lines as the file does; everything before and after it is the same.
        expect(after.subarray(0, at)).toEqual(bytes.subarray(0, at))
        const rest = bytes.subarray(at + target.length)
        expect(after.subarray(after.length - rest.length)).toEqual(rest)
      }),
      { numRuns: scaled(rounds) },
    )
    expect(edited).toBeGreaterThan(scaled(rounds) / 8)
  })

  test('has the same bytes when what was read is written in the encoding that was named', async () => {
    const { workspace, put, get } = await open()
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(someFile, async (bytes) => {
        const format = await info(workspace, bytes, put)
        const [encoding = ''] = /^[\w-]+/.exec(format) ?? []
        if (!['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'].includes(encoding) || format.includes('stray')) return
        seen.add(encoding)
        const read = await callTool(workspace, polyfs, 'read_file', { path: 'a.txt', format: 'raw' })
        const [first, note] = read.content
        const content = note === undefined ? '' : (first?.text ?? '')
        const written = await call(workspace, 'write_file', { path: 'a.txt', content, encoding })
        expect(written).toMatchObject({ isError: false })
        expect(await get()).toEqual(bytes)
      }),
      { numRuns: scaled(rounds), examples: oneOfEach },
    )
    expect(seen).toEqual(new Set(['utf-8', 'utf-16le', 'windows-1252']))
  })

  test('is found by the lines that are read', async () => {
    const { workspace, put } = await open()
    await fc.assert(
      fc.asyncProperty(someFile, fc.constantFrom('é', '€', '’', 'TARGET', '日', 'ß'), async (bytes, pattern) => {
        await put(bytes)
        const read = await callTool(workspace, polyfs, 'read_file', { path: 'a.txt', max_tokens: 100_000 })
        const [lines, note] = read.content
        if (lines?.text === undefined || note === undefined || note.type !== 'text' || lines.text.startsWith('[binary'))
          return
        const expected = lines.text
          .split('\n')
          .map((row) => [row.slice(0, row.indexOf('\t')), row.slice(row.indexOf('\t') + 1)] as const)
          .filter(([, text]) => text.includes(pattern))
          .map(([number, text]) => `${number}: ${text}`)
        const found = await callTool(workspace, polyfs, 'grep', { pattern, path: 'a.txt', literal: true })
        const rows = found.content[0]?.text?.split('\n') ?? []
        expect(rows).toEqual(expected.length === 0 ? ['(no matches)'] : ['a.txt', ...expected])
      }),
      { numRuns: scaled(rounds) },
    )
  })
})

test('a character that looks like other bytes than were meant is not written without a warning', async () => {
  const fs = memory({ 'a.txt': Uint8Array.from(latin1('caf\xe9')) })
  const workspace = createWorkspace({ fs })
  const edit = await call(workspace, 'edit_file', { path: 'a.txt', old_string: 'é', new_string: 'Ã©' })
  expect(edit.text).toContain('[warning: its bytes now look like utf-8, and read_file will show them so]')
  const write = await call(workspace, 'write_file', { path: 'a.txt', content: 'Ã©', encoding: 'windows-1252' })
  expect(write.text).toContain('a.txt now has bytes that look like utf-8, and read_file will show them so]')
})

test('of a file too large to be held, lines and bytes are shown in its encoding, page by page', async () => {
  const line = 'cr\xe8me br\xfbl\xe9e \x80 5\n'
  const bytes = Uint8Array.from(latin1(line.repeat(3000)))
  const workspace = createWorkspace({ fs: memory({ 'a.txt': bytes }), limits: { maxFileBytes: 10_000 } })
  const deep = await call(workspace, 'read_file', { path: 'a.txt', offset: 2999, limit: 2 })
  expect(deep.text).toBe(
    '2999\tcrème brûlée € 5\n3000\tcrème brûlée € 5\n[lines 2999-3000 of a file too large for a hash; not valid UTF-8, shown as Windows-1252, probably]',
  )
  const end = await call(workspace, 'read_file', { path: 'a.txt', offset: -1 })
  expect(end.text).toContain('3000\tcrème brûlée € 5\n')
  const all: string[] = []
  let cursor: unknown
  do {
    const args = { path: 'a.txt', unit: 'bytes', max_tokens: 2000, ...(cursor !== undefined && { cursor }) }
    const page = await callTool(workspace, polyfs, 'read_file', args)
    all.push(page.content[0]?.text ?? '')
    cursor = page.facts?.cursor
  } while (cursor !== undefined)
  expect(all.join('')).toBe('crème brûlée € 5\n'.repeat(3000))
})

test('a broken line far into a large log is shown with what it has', async () => {
  const lines = Array.from({ length: 9000 }, (_, index) => utf8(`line ${index + 1} ok\n`))
  lines[8499] = latin1('caf\xe9 broken\n')
  const workspace = createWorkspace({
    fs: memory({ 'a.log': Uint8Array.from(lines.flat()) }),
    limits: { maxFileBytes: 10_000 },
  })
  const read = await call(workspace, 'read_file', { path: 'a.log', offset: 8500, limit: 1 })
  expect(read.text).toBe(
    '8500\tcafé broken\n[lines 8500-8500 of a file too large for a hash; UTF-8 with stray bytes, shown as Windows-1252]',
  )
  const described = await call(workspace, 'file_info', { path: 'a.log' })
  expect(described.text).toContain('encoding utf-8, by its beginning')
})

async function info(workspace: Workspace, bytes: Uint8Array, put: Stage['put']): Promise<string> {
  await put(bytes)
  const { facts } = await callTool(workspace, polyfs, 'file_info', { path: 'a.txt' })
  const [file] = (facts as { files: { encoding: string }[] }).files
  return file?.encoding ?? ''
}

async function call(workspace: Workspace, tool: string, args: object) {
  const { content, isError = false } = await callTool(workspace, polyfs, tool, args)
  return { text: content.map(({ text = '' }) => text).join('\n'), isError }
}
