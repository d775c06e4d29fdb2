/** Arguments that no agent means: the answer is short, and made without long work. */
import { describe, expect, test } from 'vitest'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { memory } from '../../src/fs/backends/memory.js'
import { callTool, ToolProtocolError } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { dialects } from '../dialects/all.js'

const longestAnswer = 20_000

async function answerOf(dialect: Dialect, tool: string, args: object): Promise<string> {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'alpha\n' }) })
  const session = { chosen: workspace }
  try {
    return JSON.stringify(await callTool(workspace, dialect, tool, args, { session }))
  } catch (error) {
    if (error instanceof ToolProtocolError) return error.message
    throw error
  }
}

/** Every tool, with each of its texts, lists and unknown arguments absurd in turn. */
describe.each(Object.values(dialects).map((dialect) => [dialect.name, dialect] as const))('%s', (_name, dialect) => {
  const tools = dialect.tools.filter(({ needs }) => needs === undefined)
  test.each(tools.map((tool) => [tool.name, tool] as const))('%s', async (name, { schema }) => {
    const { properties = {}, required = [] } = schema().input as {
      properties?: Record<string, object>
      required?: string[]
    }
    const needed = Object.fromEntries(required.map((key) => [key, 'a.txt']))
    const cases: [string, unknown][] = [[`unknown ${'k'.repeat(100_000)}`, 1]]
    for (const [key, schema] of Object.entries(properties)) {
      const text = JSON.stringify(schema)
      // What a file is to hold may be as long as it likes.
      if (text.includes('"string"') && !/content|new|replace/.test(key)) cases.push([key, 'a\n'.repeat(20_000)])
      if (text.includes('"array"')) cases.push([key, Array(500).fill({})])
    }
    for (const [key, value] of cases) {
      const answer = await answerOf(dialect, name, { ...needed, [key]: value })
      expect({ key: key.slice(0, 20), isShort: answer.length <= longestAnswer }).toEqual({
        key: key.slice(0, 20),
        isShort: true,
      })
    }
  })
})

test('of a path of megabytes the beginning is shown', async () => {
  const answer = await answerOf(polyfs, 'read_file', { path: 'x'.repeat(3_000_000) })
  expect(answer).toMatch(/^\{"content":\[\{"type":"text","text":"invalid_path: .{300,400} is not a usable path/)
})

test('of a list of thousands that are all wrong the first are shown', async () => {
  const answer = await answerOf(polyfs, 'file_info', { paths: Array(40_000).fill({}) })
  expect(answer.match(/paths\.\d+ must be/g)?.length).toBe(50)
})

test('a text to replace that has a million lines is not looked for line by line', async () => {
  const before = process.cpuUsage()
  const answer = await answerOf(polyfs, 'edit_file', {
    path: 'a.txt',
    old_string: 'b\n'.repeat(1_000_000),
    new_string: '',
  })
  const { user, system } = process.cpuUsage(before)
  expect(answer).toContain('no_match')
  expect((user + system) / 1000).toBeLessThan(10_000)
})

test('a cursor of megabytes is refused', async () => {
  const answer = await answerOf(polyfs, 'glob', { pattern: '*', cursor: 'x'.repeat(5_000_000) })
  expect(answer).toContain('cursor: it is not one that this tool has given')
})
