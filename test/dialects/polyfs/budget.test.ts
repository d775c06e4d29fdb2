/** No result exceeds its budget, and the pages together are the whole: on random trees and calls. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateTokens,
  fittingEnd,
  fittingStart,
  isSurelyWithin,
  sentBytes,
} from '../../../src/dialects/polyfs/paging/token-budget.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { Shell } from '../../../src/shell/types.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { withStructuredResults } from '../../../src/tools/structured-results.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { longTest, scaled } from '../../scale.js'

const runs = scaled(150)

const budget = fc.oneof(fc.integer({ min: 256, max: 700 }), fc.integer({ min: 256, max: 20_000 }))

/** Words that take more bytes in a message than characters: escapes, other scripts, pairs, control characters. */
const word = fc.constantFrom(
  'one',
  'two ',
  '"quoted"',
  '\\path\\',
  '\t',
  'žluť',
  '日本語',
  '😀',
  '\u0001',
  'x'.repeat(300),
  '',
)
const line = fc.array(word, { maxLength: 8 }).map((words) => words.join(''))
const ending = fc.constantFrom('\n', '\r\n', '\r')
const content = fc
  .array(fc.tuple(line, ending), { maxLength: 120 })
  .map((lines) => lines.map(([text, end]) => text + end).join(''))
const name = fc.constantFrom('a', 'b.ts', 'c d', 'é.md', 'deep', 'x'.repeat(60), 'q"uote', '.hidden')
const path = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((names) => names.map((one, at) => (at < names.length - 1 ? `${one}.d` : one)).join('/'))
const tree = fc.dictionary(path, content, { minKeys: 1, maxKeys: 40 })

test('a beginning and an end of text take no more than their room, as much of it as they can, and whole characters', () => {
  fc.assert(
    fc.property(content, fc.integer({ min: 0, max: 2000 }), (text, room) => {
      const head = text.slice(0, fittingEnd(text, { start: 0, end: text.length, room }))
      const tail = text.slice(fittingStart(text, room))
      const characters = [...text]
      const after = characters[[...head].length] ?? ''
      const before = characters[characters.length - [...tail].length - 1] ?? ''
      for (const part of [head, tail]) {
        expect(part.isWellFormed()).toBe(true)
        expect(sentBytes(part)).toBeLessThanOrEqual(room)
      }
      if (head !== text) expect(sentBytes(head + after)).toBeGreaterThan(room)
      if (tail !== text) expect(sentBytes(before + tail)).toBeGreaterThan(room)
    }),
    { numRuns: runs },
  )
})

test('the quick estimate never accepts a result above the budget', () => {
  const texts = fc.array(fc.tuple(fc.constantFrom('a', '"', '\u0001', '日', '😀', '\ud800'), fc.nat(400)), {
    maxLength: 4,
  })
  let short = 0
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 1000 }), (parts, tokens) => {
      const result = { content: parts.map(([unit, times]) => ({ type: 'text' as const, text: unit.repeat(times) })) }
      if (!isSurelyWithin(tokens, result)) return
      short += 1
      expect(estimateTokens(result)).toBeLessThanOrEqual(tokens)
    }),
    { numRuns: 20 * runs },
  )
  expect(short).toBeGreaterThan(runs)
})

test('the pages of a file make up the file', async () => {
  await fc.assert(
    fc.asyncProperty(content, budget, budget, async (text, first, later) => {
      const workspace = of({ 'f.txt': text })
      const raw = { path: 'f.txt', format: 'raw' }
      const pages = await allPages(workspace, 'read_file', raw, [first, later])
      expect(pages.map(payload).join('')).toBe(text)
      const structured = await allPages(workspace, 'read_file', raw, [first, later], withStructuredResults(polyfs))
      expect(structured.map(payload).join('')).toBe(text)
      const numbered = await allPages(workspace, 'read_file', { path: 'f.txt' }, [first, later])
      expect(joinNumbered(numbered)).toEqual(linesOf(text))
    }),
    { numRuns: runs },
  )
})

test('the pages of ranges make up their lines', async () => {
  await fc.assert(
    fc.asyncProperty(content, budget, budget, async (text, first, later) => {
      const lines = linesOf(text)
      const ranges = [[1, 5], [8, 40], [41, 41], [50, 70], [-20]]
      const args = {
        files: [
          { path: 'f.txt', ranges },
          { path: 'f.txt', ranges: [[-1], [1]] },
        ],
      }
      for (const dialect of [polyfs, withStructuredResults(polyfs)]) {
        const pages = await allPages(
          of({ 'f.txt': text }),
          'read_file',
          { path: 'f.txt', ranges },
          [first, later],
          dialect,
        )
        const wanted = lines.filter(
          (_, i) => i < 5 || (i > 6 && i < 41) || (i > 48 && i < 70) || i >= lines.length - 20,
        )
        // A line that is in two ranges is shown twice.
        const shown = new Set(pages.flatMap(numbersIn))
        expect(shown.size).toBe(wanted.length)
        await allPages(of({ 'f.txt': text }), 'read_file', args, [first, later], dialect)
      }
    }),
    { numRuns: scaled(60) },
  )
})

test('the pages of bytes make up the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 6000 }), content, budget, async (bytes, text, tokens) => {
      const workspace = of({ 'b.bin': bytes, 'f.txt': text })
      const pages = await allPages(workspace, 'read_file', { path: 'b.bin', format: 'base64' }, [tokens])
      expect(pages.map((page) => atob(payload(page))).join('')).toBe(String.fromCharCode(...bytes))
      const texts = await allPages(workspace, 'read_file', { path: 'f.txt', unit: 'bytes', format: 'raw' }, [tokens])
      expect(texts.map(payload).join('')).toBe(text)
    }),
    { numRuns: runs },
  )
})

test('the pages of listings, finds and searches make up the whole', async () => {
  await fc.assert(
    fc.asyncProperty(tree, budget, async (files, tokens) => {
      const workspace = of(files)
      for (const [tool, args] of [
        ['list_dir', { depth: 9, ignored: true }],
        ['glob', { pattern: '**', ignored: true }],
        ['grep', { pattern: 'o', output: 'files' }],
        ['grep', { pattern: 'o', output: 'count' }],
      ] as const) {
        const whole = await call(workspace, tool, { ...args, max_tokens: 2_000_000 })
        const pages = await allPages(workspace, tool, args, [tokens])
        expect({ tool, rows: pages.flatMap(rowsOf) }).toEqual({ tool, rows: rowsOf(whole) })
      }
      const whole = await call(workspace, 'grep', { pattern: 'o', max_tokens: 2_000_000 })
      const pages = await allPages(workspace, 'grep', { pattern: 'o' }, [tokens])
      expect(pages.flatMap(matchesOf)).toEqual(matchesOf(whole))
      const backwards = await allPages(workspace, 'grep', { pattern: 'o', limit: -2000 }, [tokens])
      expect(backwards.reverse().flatMap(matchesOf)).toEqual(matchesOf(whole))
    }),
    { numRuns: scaled(30) },
  )
})

test.each([polyfs, withStructuredResults(polyfs)])(
  'whatever is called, no result exceeds its budget',
  async (dialect) => {
    const text = fc.oneof(path, word, content)
    const tool = fc.constantFrom(...polyfs.tools.filter(({ needs }) => needs === undefined))
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(
          tool.chain((one) => fc.tuple(fc.constant(one.name), argumentsOf(one.schema().input, text), budget)),
          { minLength: 1, maxLength: 6 },
        ),
        async (files, calls) => {
          const workspace = of(files)
          for (const [name, args, tokens] of calls) {
            const takesBudget =
              'max_tokens' in
              ((polyfs.tools.find((one) => one.name === name)?.schema().input.properties ?? {}) as object)
            const result = await call(workspace, name, takesBudget ? { ...args, max_tokens: tokens } : args, dialect)
            const most = takesBudget ? tokens : 10_000
            expect({ name, args, tokens: estimateTokens(result) <= most }).toEqual({ name, args, tokens: true })
          }
        },
      ),
      { numRuns: runs },
    )
  },
)

test('the pages of diffs, histories, archives and dry runs make up the whole', async () => {
  await fc.assert(
    fc.asyncProperty(tree, budget, async (files, tokens) => {
      const workspace = of({ 'old.txt': 'old\n' })
      const author = 'Ada <ada@example.org>'
      await call(workspace, 'git', { action: 'init' })
      await call(workspace, 'git', { action: 'add', paths: ['.'] })
      await call(workspace, 'git', { action: 'commit', message: 'first', author })
      await call(workspace, 'history', { action: 'checkpoint', point: 'before' })
      const written = Object.entries(files).map(([at, text]) => ({ path: at, content: text }))
      await call(workspace, 'write_file', { files: [...written, { path: 'old.txt', content: 'new\n' }] })
      await call(workspace, 'archive', { action: 'create', path: 'all.zip', existing: 'replace' })
      const blocks = written.map((_, at) => `*** Add File: patched/${at}\n+line ${at}`)
      const patch = ['*** Begin Patch', ...blocks, '*** End Patch'].join('\n')
      for (const [tool, args] of [
        ['history', { action: 'diff', point: 'before' }],
        ['history', { action: 'list' }],
        ['git', { action: 'status' }],
        ['git', { action: 'diff' }],
        ['archive', { action: 'list', path: 'all.zip' }],
        ['apply_patch', { patch, dry_run: true }],
      ] as const) {
        const whole = await call(workspace, tool, { ...args, max_tokens: 2_000_000 })
        const pages = await allPages(workspace, tool, args, [tokens])
        expect({ tool, args, rows: pages.flatMap(beginnings) }).toEqual({ tool, args, rows: beginnings(whole) })
      }
    }),
    { numRuns: scaled(12) },
  )
})

test('output of a command stays within the budget, and the named file has all of it', async () => {
  await fc.assert(
    fc.asyncProperty(content, content, budget, async (stdout, stderr, tokens) => {
      const workspace = createWorkspace({ fs: memory(), shell: writing({ stdout, stderr }) })
      const result = await call(workspace, 'bash', { command: 'write', max_tokens: tokens })
      expect(estimateTokens(result)).toBeLessThanOrEqual(tokens)
      const [output, errors] = [stdout, stderr].map((written) => written.replace(/\r?\n$/, ''))
      // This shell does not merge its streams.
      const whole = [output, errors === '' ? '' : `[stderr]\n${errors}`].filter(Boolean).join('\n')
      const [file] = (result.facts?.output ?? []) as string[]
      if (file === undefined) expect(whole === '' ? payload(result) : whole).toBe(payload(result))
      else {
        const pages = await allPages(workspace, 'read_file', { path: file, format: 'raw' }, [tokens])
        expect(pages.map(payload).join('')).toBe(`${whole}\n`)
      }
    }),
    { numRuns: runs },
  )
})

longTest('no result is larger than the messages that clients take, however much is asked for', async () => {
  const large = `${'"'.repeat(63)}\n`.repeat((11 << 20) / 64)
  const png = new Uint8Array(11 << 20)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const workspace = createWorkspace({
    fs: memory({ 'large.txt': large, 'large.png': png, 'large.bin': new Uint8Array(11 << 20) }),
    shell: writing({ stdout: large, stderr: 'x' }),
  })
  for (const [tool, args] of [
    ['read_file', { path: 'large.txt', format: 'raw' }],
    ['read_file', { path: 'large.bin' }],
    ['read_file', { path: 'large.bin', format: 'base64' }],
    ['read_file', { paths: ['large.png', 'large.png'] }],
    ['bash', { command: 'write' }],
  ] as const) {
    const result = await call(workspace, tool, { ...args, max_tokens: 2_000_000 })
    expect({ tool, args, fits: JSON.stringify(result.content).length < 10 << 20 }).toEqual({ tool, args, fits: true })
  }
})

function of(files: Record<string, string | Uint8Array>): Workspace {
  return createWorkspace({ fs: memory(files) })
}

/** A shell on which every command writes the same. */
function writing({ stdout, stderr }: { stdout: string; stderr: string }): Shell {
  const output = (text: string) => ({ bytes: new TextEncoder().encode(text), cut: false })
  return {
    kind: 'emulated',
    engine: 'none',
    capabilities: {
      sharesFiles: true,
      confined: true,
      recordsChanges: true,
      background: false,
      signals: false,
      posix: true,
      separateStreams: true,
    },
    exec: async () => ({ ended: 'exit', exitCode: 0, stdout: output(stdout), stderr: output(stderr) }),
    close: async () => {},
  }
}

function call(workspace: Workspace, tool: string, args: object, dialect = polyfs): Promise<ToolResult> {
  return callTool(workspace, dialect, tool, args, {
    onFault: (fault) => {
      throw fault
    },
  })
}

/** Every page, each within its budget; the last budget is that of all that follow. */
async function allPages(
  workspace: Workspace,
  tool: string,
  args: object,
  budgets: readonly number[],
  dialect = polyfs,
): Promise<ToolResult[]> {
  const pages: ToolResult[] = []
  for (let cursor: unknown; pages.length < 5000; ) {
    const tokens = budgets[Math.min(pages.length, budgets.length - 1)] as number
    const given = { ...args, max_tokens: tokens, ...(cursor !== undefined && { cursor }) }
    const page = await call(workspace, tool, given, dialect)
    expect({
      isError: page.isError ?? false,
      within: estimateTokens(page) <= tokens,
      text: page.isError ? page.content : [],
    }).toEqual({ isError: false, within: true, text: [] })
    pages.push(page)
    cursor = page.facts?.cursor
    if (cursor === undefined) return pages
  }
  throw new Error('the pages do not end')
}

/** Without the notes, which are the last item and in brackets. */
function payload({ content: items }: ToolResult): string {
  const [first] = items
  return items.length > 1 ? (first?.text ?? '') : ''
}

function rowsOf({ content: items }: ToolResult): string[] {
  const first = items[0]?.text ?? ''
  return first.startsWith('(no ') ? [] : first.split('\n')
}

/** A row that is longer than a page is cut; what fits into any page is not. */
function beginnings(result: ToolResult): string[] {
  return rowsOf(result).map((row) => row.slice(0, 100))
}

/** Where each match is: the line itself may be cut where a page is smaller than it. */
function matchesOf(result: ToolResult): string[] {
  let file = ''
  return rowsOf(result).flatMap((row) => {
    const [, number] = /^(\d+): /.exec(row) ?? []
    if (number === undefined) file = row
    return number === undefined ? [] : [`${file}:${number}`]
  })
}

function numbersIn(page: ToolResult): string[] {
  return payload(page).match(/^\d+(?=\t)/gm) ?? []
}

function joinNumbered(pages: readonly ToolResult[]): string[] {
  const lines: string[] = []
  for (const page of pages) {
    for (const row of payload(page) === '' ? [] : payload(page).split('\n')) {
      const [, number, rest = ''] = /^(\d+)\t(.*)$/su.exec(row) ?? []
      lines[Number(number) - 1] = (lines[Number(number) - 1] ?? '') + rest
    }
  }
  return lines
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Arguments that a schema allows, or nearly. */
function argumentsOf(
  schema: Record<string, unknown>,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Property>; required?: string[] }
  const entries = Object.entries(properties).filter(([key]) => key !== 'max_tokens' && key !== 'cursor')
  const values = Object.fromEntries(entries.map(([key, property]) => [key, valueFor(property, text)]))
  return fc.record(values, { requiredKeys: required })
}

interface Property {
  type?: string
  enum?: unknown[]
  items?: Property
  properties?: Record<string, Property>
}

function valueFor({ type, enum: values, items, ...rest }: Property, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (values !== undefined) return fc.constantFrom(...values)
  if (type === 'integer') return fc.oneof(fc.integer({ min: -5, max: 50 }), fc.constantFrom(1, 2, 1000))
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(valueFor(items ?? {}, text), { maxLength: 30 })
  if (type === 'object') return argumentsOf(rest, text)
  return text
}
