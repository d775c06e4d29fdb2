import { describe, expect, it } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { readText } from '../../../src/ops/read-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

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

describe('lines counted otherwise', () => {
  it('are the same in a file that is held and in one that is read in pieces', async () => {
    let state = 3
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const pieces = ['a', 'bc', '\n', '\n', '\r\n', '\r', 'é', '😀', '']
    for (let round = 0; round < 600; round += 1) {
      const body = Array.from({ length: 8 + random(12) }, () => pieces[random(pieces.length)]).join('')
      const content = `0123456789${body}`
      const bytes = random(3) === 0 ? utf16(content) : new TextEncoder().encode(content)
      const files = memory({ '/f': bytes })
      const counting = {
        breaks: (['any', 'line-feed', 'bare-line-feed'] as const)[random(3)],
        finalEmptyLine: random(2) === 0,
      }
      // A final CR alone is an ending only where every CR is one.
      if (counting.finalEmptyLine && counting.breaks !== 'bare-line-feed') continue
      const range = { startLine: 1 + random(8), ...(random(2) === 0 && { maxLines: 1 + random(4) }) }
      const outcome = async (maxFileBytes: number) => {
        const workspace = createWorkspace({ fs: files, limits: { maxFileBytes } })
        const run = workspace.run(readText, { path: '/f', binaryWindow: 0, counting, ...range })
        return run.then(
          ({ lines, firstLine, more }) => ({ lines, firstLine, more }),
          ({ code, facts }) => ({ code, facts }),
        )
      }
      expect([content, range, await outcome(bytes.length - 1)]).toEqual([content, range, await outcome(1000)])
    }
  })

  it('are complete, or too large', async () => {
    const files = memory({ '/f': `${'x'.repeat(100)}\n`.repeat(50), '/long': `a\n${'x'.repeat(5000)}\nb` })
    const workspace = createWorkspace({ fs: files, limits: { maxFileBytes: 1000 } })
    const all = { path: '/f', complete: true }
    expect((await workspace.run(readText, { ...all, startLine: 45, maxLines: 9 })).lines).toHaveLength(6)
    await expect(workspace.run(readText, { ...all, startLine: 3, maxLines: 20 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    })
    const long = { path: '/long', complete: true, maxLines: 1 }
    expect((await workspace.run(readText, { ...long, startLine: 3 })).lines).toEqual(['b'])
    await expect(workspace.run(readText, { ...long, startLine: 2 })).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  function utf16(content: string): Uint8Array<ArrayBuffer> {
    const units = Array.from({ length: content.length }, (_, i) => content.charCodeAt(i))
    return new Uint8Array([0xff, 0xfe, ...units.flatMap((unit) => [unit & 0xff, unit >> 8])])
  }
})
