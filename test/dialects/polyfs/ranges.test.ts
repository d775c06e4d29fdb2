/** Ranges of lines as a model on arrays has them: whole and page by page, of small files and of those too large to be held. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { scaled } from '../../scale.js'

const bound = fc.integer({ min: -14, max: 14 }).filter((line) => line !== 0)
const range = fc
  .oneof(fc.tuple(bound), fc.tuple(bound, bound))
  .filter(([first, last = -1]) => first <= last || first > 0 !== last > 0)
const line = fc.constantFrom('', 'a', 'two words', '"quoted\\', 'ünïcode 😀', '--', '\ttab')
const file = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  ending: fc.constantFrom('\n', '\r\n'),
})

type Section = [first: number, last: number]

/** In the order asked for; what overlaps or follows the range before it belongs to it. */
function model(ranges: readonly number[][], count: number): Section[] {
  const sections: Section[] = []
  for (const [given = 0, end = -1] of ranges) {
    const first = given > 0 ? given : Math.max(1, count + 1 + given)
    const last = end > 0 ? Math.min(end, count) : count + 1 + end
    const before = sections.at(-1)
    if (first > last) continue
    if (before && first >= before[0] && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else sections.push([first, last])
  }
  return sections
}

test.each([
  ['held', {}],
  // A page of it has about as many bytes.
  ['too large to be held', { maxFileBytes: 20 }],
])('a file that is %s', async (_, limits) => {
  let pages = 0
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.array(range, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async ({ lines, ending }, ranges, isPlain) => {
        const fs = memory({ 'a.txt': lines.map((each) => each + ending).join('') })
        const workspace = createWorkspace({ fs: isPlain ? withoutFacets(fs) : fs, limits })
        const sections = model(ranges, lines.length)
        const whole = await read(workspace, { path: 'a.txt', ranges })
        if (sections.length === 0) {
          expect(whole.content[0]?.text).toMatch(/^line_out_of_range: /)
          return
        }
        const rows = sections.map(([first, last]) =>
          lines.slice(first - 1, last).map((text, index) => `${first + index}\t${text}`),
        )
        if (whole.facts?.cursor === undefined) {
          expect({ ranges, text: whole.content[0]?.text }).toEqual({
            ranges,
            text: rows.map((each) => each.join('\n')).join('\n--\n'),
          })
        }
        const paged: string[] = []
        for (let cursor: unknown; ; ) {
          const args = { path: 'a.txt', ranges, max_tokens: 256, ...(cursor !== undefined && { cursor }) }
          const page = await read(workspace, args)
          expect(page.isError).toBeUndefined()
          paged.push(...(page.content[0]?.text ?? '').split('\n').filter((row) => row !== '--'))
          pages += 1
          cursor = page.facts?.cursor
          if (cursor === undefined) break
        }
        expect({ ranges, paged }).toEqual({ ranges, paged: rows.flat() })
      },
    ),
    {
      numRuns: scaled(300),
      // What is between the two is not there.
      examples: [[{ lines: ['two words', 'ünïcode 😀'], ending: '\n' }, [[1, 1], [3], [1, 2]], false]],
    },
  )
  expect(pages).toBeGreaterThan(scaled(300) / 2)
})

test('pages of many ranges make up the whole, numbered and raw', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1} ${'x'.repeat(index % 40)}`)
  const workspace = createWorkspace({ fs: memory({ 'a.txt': `${lines.join('\n')}\n` }) })
  const ranges = Array.from({ length: 60 }, (_, index) => [1 + 5 * index, 3 + 5 * index])
  const expected = ranges.map(([first = 0, last]) => lines.slice(first - 1, last))
  for (const format of ['numbered', 'raw']) {
    const rows: string[] = []
    let count = 0
    for (let cursor: unknown; ; ) {
      const args = { path: 'a.txt', ranges, format, max_tokens: 300, ...(cursor !== undefined && { cursor }) }
      const page = await read(workspace, args)
      const text = page.content[0]?.text ?? ''
      rows.push(
        ...text
          .replace(/\n$/, '')
          .split('\n')
          .filter((row) => row !== '--'),
      )
      count += 1
      cursor = page.facts?.cursor
      if (cursor === undefined) break
    }
    expect(rows.map((row) => row.replace(/^\d+\t/, ''))).toEqual(expected.flat())
    expect(count).toBeGreaterThan(5)
  }
})

test('a page is refused when the file has changed since, also between two ranges', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': `${'some text of a line\n'.repeat(200)}` }) })
  const args = { path: 'a.txt', ranges: [[1, 30], [50, 80], [90]], max_tokens: 256 }
  for (let cursor: unknown; ; ) {
    const page = await read(workspace, { ...args, ...(cursor !== undefined && { cursor }) })
    cursor = page.facts?.cursor
    if (cursor === undefined) break
    const content = `${'some text of a line\n'.repeat(200)}`
    await callTool(workspace, polyfs, 'write_file', { path: 'a.txt', content: `${content}more` })
    const refused = await read(workspace, { ...args, cursor })
    expect(refused.content[0]?.text).toMatch(/^stale: /)
    await callTool(workspace, polyfs, 'write_file', { path: 'a.txt', content })
  }
})

test('ranges of a file of 18 MB take little longer than one of them', async () => {
  const content = Array.from({ length: 220_000 }, (_, i) => `${i} ${'some words of a log '.repeat(4)}`).join('\n')
  expect(content.length).toBeGreaterThan(18_000_000)
  const workspace = createWorkspace({ fs: memory({ 'big.log': content }) })
  const msFor = async (ranges: number[][]) => {
    let best = Infinity
    for (let round = 0; round < 3; round += 1) {
      const before = process.cpuUsage()
      const { content: shown } = await read(workspace, { path: 'big.log', ranges })
      const { user, system } = process.cpuUsage(before)
      best = Math.min(best, (user + system) / 1000)
      expect(shown[0]?.text?.split('\n').filter((row) => row !== '--')).toHaveLength(ranges.length)
    }
    return best
  }
  const one = await msFor([[200_000, 200_000]])
  const many = await msFor(Array.from({ length: 50 }, (_, i) => [1 + 4000 * i, 1 + 4000 * i]))
  console.log(`18 MB: one range ${Math.round(one)} ms, 50 ranges ${Math.round(many)} ms`)
  expect(many).toBeLessThan(3 * one + 100)
})

function read(workspace: Workspace, args: object): Promise<ToolResult> {
  return callTool(workspace, polyfs, 'read_file', args)
}
