/** Pages while files change: a page continues exactly where the one before ended, or fails with `STALE`. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { scaled } from '../../scale.js'

const path = fc
  .tuple(fc.constantFrom('', 'd/', 'e/f/'), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'g'))
  .map(([directory, name]) => `${directory}${name}.txt`)
const content = fc
  .array(fc.constantFrom('hit', 'a hit', 'hit hit', 'miss', ''), { maxLength: 8 })
  .map((lines) => lines.join('\n'))
const change = fc.record({ path, content: fc.option(content) })

const calls: [tool: string, args: object][] = [
  ['grep', { pattern: 'hit' }],
  ['grep', { pattern: 'hit', context: 1 }],
  ['grep', { pattern: 't\\s', multiline: true }],
  ['grep', { pattern: 'hit', output: 'files' }],
  ['grep', { pattern: 'hit', output: 'count' }],
  ['grep', { pattern: 'hit', start_line: 2, end_line: -2, context: 1 }],
  ['grep', { pattern: 'hit', paths: ['e', '.'], exclude: ['a.txt', 'd/'] }],
  ['glob', { pattern: '**/*.txt' }],
  ['glob', { pattern: '*', sort: 'size' }],
  ['list_dir', { depth: 4 }],
  ['list_dir', { depth: 4, sort: 'size' }],
  ['list_dir', { depth: 4, sort: 'modified' }],
]

test('a page is refused unless the rows before it are unchanged', async () => {
  let pages = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(path, content, { minKeys: 3, maxKeys: 12 }),
      fc.constantFrom(...calls),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 8 }),
      async (files, [tool, args], limit, rounds) => {
        const workspace = createWorkspace({ fs: memory({ 'e/': '', ...files }) })
        const shown: string[] = []
        let cursor: unknown
        for (const round of [[], ...rounds]) {
          for (const one of round) await make(workspace, one)
          const page = await call(workspace, tool, { ...args, limit, ...(cursor !== undefined && { cursor }) })
          if (page.isError) {
            expect(page.content[0]?.text).toMatch(/^stale: /)
            refused += 1
            return
          }
          shown.push(...resultsOf(page))
          pages += 1
          const all = resultsOf(await call(workspace, tool, { ...args, max_tokens: 200_000 }))
          expect({ tool, args, shown }).toEqual({ tool, args, shown: all.slice(0, shown.length) })
          cursor = page.facts?.cursor
          if (cursor !== undefined) continue
          expect(shown.length).toBe(all.length)
          return
        }
      },
    ),
    { numRuns: scaled(400) },
  )
  expect(pages).toBeGreaterThan(scaled(400))
  expect(refused).toBeGreaterThan(scaled(10) - 1)
})

test('pages of the last results go back to the first, and are refused when later ones have changed', async () => {
  let pages = 0
  let refused = 0
  const backwards = calls.filter(([tool]) => tool === 'grep').map(([, args]) => args)
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(path, content, { minKeys: 3, maxKeys: 12 }),
      fc.constantFrom(...backwards),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.option(change, { freq: 4 }), { maxLength: 12 }),
      async (files, args, count, rounds) => {
        const workspace = createWorkspace({ fs: memory({ 'e/': '', ...files }) })
        const seen: string[] = []
        let cursor: unknown
        for (const one of [null, ...rounds, ...Array<null>(40).fill(null)]) {
          if (one !== null) await make(workspace, one)
          const page = await call(workspace, 'grep', {
            ...args,
            limit: -count,
            ...(cursor !== undefined && { cursor }),
          })
          if (page.isError) {
            expect(page.content[0]?.text).toMatch(/^stale: /)
            refused += 1
            return
          }
          seen.unshift(...resultsOf(page))
          pages += 1
          const all = resultsOf(await call(workspace, 'grep', { ...args, max_tokens: 200_000 }))
          expect({ args, seen }).toEqual({ args, seen: all.slice(-seen.length || all.length) })
          cursor = page.facts?.cursor
          if (cursor !== undefined) continue
          expect(seen.length).toBe(all.length)
          return
        }
      },
    ),
    { numRuns: scaled(400) },
  )
  expect(pages).toBeGreaterThan(scaled(400))
  expect(refused).toBeGreaterThan(scaled(10) - 1)
})

test.each(['content', 'files', 'count'])(
  'a match that comes up before the page is not passed over, though as many as before are there: %s',
  async (output) => {
    const files = { 'a.txt': 'hit\n', 'b.txt': 'miss\n', 'c.txt': 'hit\n', 'd.txt': 'hit\n' }
    const workspace = createWorkspace({ fs: memory(files) })
    const first = await call(workspace, 'grep', { pattern: 'hit', output, limit: 2 })
    await make(workspace, { path: 'a.txt', content: 'miss\n' })
    await make(workspace, { path: 'b.txt', content: 'hit\n' })
    const second = await call(workspace, 'grep', { pattern: 'hit', output, limit: 2, cursor: first.facts?.cursor })
    expect(second.content[0]?.text).toMatch(/^stale: /)
  },
)

test('a page after the last one says so', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'hit\n', 'b.txt': 'hit\n', 'c.txt': 'hit\n' }) })
  const shown = async (tool: string, args: object, gone: string) => {
    const { facts } = await call(workspace, tool, { ...args, path: '.' })
    const content = (await workspace.fs.readFile(`/${gone}`)).slice()
    await workspace.fs.remove(`/${gone}`)
    const page = await call(workspace, tool, { ...args, path: '.', cursor: facts?.cursor })
    await workspace.fs.writeFile(`/${gone}`, content)
    return page.content.map(({ text }) => text)
  }
  const summary = '[2 matches in 2 files; 2 files searched]'
  expect(await shown('glob', { pattern: '*', limit: 2 }, 'c.txt')).toEqual(['[no files after the first 2]'])
  expect(await shown('list_dir', { limit: 2 }, 'c.txt')).toEqual(['[no entries after the first 2]'])
  expect(await shown('grep', { pattern: 'hit', limit: 2 }, 'c.txt')).toEqual([
    '(no more matches)',
    `${summary}\n[no matches after the first 2]`,
  ])
  expect(await shown('grep', { pattern: 'hit', limit: -2 }, 'a.txt')).toEqual([
    '(no more matches)',
    `${summary}\n[no matches before the last 2]`,
  ])
})

test('a line break in a pattern is refused where lines are searched one by one', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\ntwo\n\n' }) })
  const shown = async (args: object) => (await call(workspace, 'grep', args)).content[0]?.text
  const refusal =
    'invalid_input: Invalid arguments: pattern: it has a line break, and lines are searched one by one unless multiline is true. Correct them and call again.'
  expect(await shown({ pattern: 'one\\ntwo' })).toBe(refusal)
  expect(await shown({ pattern: 'one\ntwo', literal: true })).toBe(refusal)
  expect(await shown({ pattern: 'one\\ntwo', multiline: true })).toBe('a.txt\n1: one\n2: two')
  expect(await shown({ pattern: 'one\\ntwo', literal: true })).toBe('(no matches)')
  expect(await shown({ pattern: '^$', multiline: true })).toBe('a.txt\n3: ')
})

async function make(workspace: Workspace, { path: at, content: text }: { path: string; content: string | null }) {
  await (text === null
    ? call(workspace, 'delete', { path: at })
    : call(workspace, 'write_file', { path: at, content: text }))
}

function call(workspace: Workspace, tool: string, args: object): Promise<ToolResult> {
  return callTool(workspace, polyfs, tool, args)
}

/** Each result with the name of its file; context belongs to no result. */
function resultsOf({ content: [first] }: ToolResult): string[] {
  let file = ''
  return (first?.text ?? '').split('\n').flatMap((row) => {
    // A page may begin where the results have come to an end meanwhile.
    if (/^\(no .*\)$|^\[no .* after the first \d+\]$|^\d+- |^--$|^total: /.test(row)) return []
    const isMatch = /^\d+: /.test(row)
    if (!isMatch) file = row
    const isHeader = !isMatch && first?.text !== undefined && /^\d+[:-] /m.test(first.text)
    return isHeader ? [] : [isMatch ? `${file}:${row}` : row]
  })
}
