import { describe, expect, it } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { readText } from '../../../src/ops/read-text.js'
import { createWorkspace } from '../../../src/workspace.js'

const lineCount = 5_000
const text = Array.from({ length: lineCount }, (_, i) => `line ${i + 1}`).join('\r\n')
const fs = memory({ '/text': text, '/nul-at-end': `${text}\0`, '/one-line': 'x'.repeat(50_000) })

/** The file is larger than the limit of the workspace. */
function read(given: { path?: string; startLine?: number; maxLines?: number; maxFileBytes?: number }) {
  const workspace = createWorkspace({ fs, limits: { maxFileBytes: 10_000 } })
  return readText.run(readText.input.parse({ path: '/text', ...given }), workspace, {})
}

describe('a file larger than the read buffer', () => {
  it('is read from any line, and says that lines follow', async () => {
    expect(await read({ startLine: 4_000, maxLines: 2 })).toEqual({
      path: '/text',
      encoding: 'utf-8',
      bom: false,
      firstLine: 4_000,
      lines: ['line 4000', 'line 4001'],
      more: true,
    })
  })

  it('is read from its end, with numbers', async () => {
    expect(await read({ startLine: -2 })).toEqual({
      path: '/text',
      encoding: 'utf-8',
      bom: false,
      firstLine: lineCount - 1,
      lineCount,
      lines: ['line 4999', 'line 5000'],
      more: false,
    })
  })

  it('gives as many lines as may be held', async () => {
    const { lines, more } = await read({})
    expect(lines.length).toBeGreaterThan(900)
    expect(lines.join('').length).toBeLessThanOrEqual(10_000)
    expect(more).toBe(true)
    expect((await read({ path: '/one-line' })).lines).toEqual(['x'.repeat(10_000)])
  })

  it('has no line past its end', async () => {
    await expect(read({ startLine: 6_000 })).rejects.toMatchObject({
      code: 'LINE_OUT_OF_RANGE',
      facts: { path: '/text', line: 6_000, lineCount },
    })
  })

  it('is refused when it is binary at either end, or larger than asked for', async () => {
    await expect(read({ path: '/nul-at-end' })).rejects.toMatchObject({ code: 'BINARY' })
    await expect(read({ maxFileBytes: 10_000 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      facts: { path: '/text', size: text.length, limit: 10_000 },
    })
  })
})
