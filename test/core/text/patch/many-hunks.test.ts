import { describe, expect, test } from 'vitest'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import type { Hunk, HunkPlace } from '../../../../src/text/patch/patch.js'
import { longTest } from '../../../scale.js'
import { timed } from '../../processor-time.js'

const inContext: HunkPlace = { by: 'context', anchors: [], atEnd: false }

/** `old` is context, except for its last line, which is removed. */
function hunk(old: readonly string[], place: HunkPlace = inContext): Hunk {
  const lines = old.map((text, at) => ({
    kind: at === old.length - 1 ? ('remove' as const) : ('context' as const),
    text,
  }))
  return { line: 1, place, lines }
}

describe('hunks that are many, or fit almost everywhere, take time in proportion', () => {
  test('twenty thousand hunks are found by their context', () => {
    const count = 20_000
    const lines = Array.from({ length: 4 * count }, (_, at) => (at % 4 === 1 ? '}' : `line ${at}`))
    const hunks = Array.from({ length: count }, (_, at) => hunk([`line ${4 * at}`, '}', `line ${4 * at + 2}`]))
    const { result, ms } = timed(2_000, () => applyHunks(`${lines.join('\n')}\n`, hunks))
    const left = lines.filter((_, at) => at % 4 !== 2)
    expect(result).toEqual({ ok: true, text: `${left.join('\n')}\n` })
    expect(ms).toBeLessThan(2_000)
  })

  test('so are as many that name the wrong line', () => {
    const count = 5_000
    const lines = Array.from({ length: 8 * count }, (_, at) => `line ${at}`)
    const hunks = Array.from({ length: count }, (_, at) =>
      hunk([`line ${8 * at}`], { by: 'number', oldStart: 1 + 8 * at + (at % 5) }),
    )
    const { result, ms } = timed(2_000, () => applyHunks(`${lines.join('\n')}\n`, hunks))
    expect(result).toEqual({ ok: true, text: `${lines.filter((_, at) => at % 8 !== 0).join('\n')}\n` })
    expect(ms).toBeLessThan(2_000)
  })

  test('many different runs of one repeated line are rejected', () => {
    const text = 'b\n'.repeat(100_000)
    const runs = Array.from({ length: 200 }, (_, at) => Array.from({ length: at + 1 }, () => 'b'))
    const hunks = runs.map((run) => hunk(run, { by: 'number', oldStart: 1 }))
    const { result, ms } = timed(4_000, () => applyHunks(text, hunks))
    expect(result).toMatchObject({ ok: false, reason: 'too-repetitive' })
    expect(ms).toBeLessThan(4_000)
    expect(applyHunks(text, hunks.slice(0, 20))).toEqual({ ok: true, text: text.slice(40) })
  })

  longTest('and so are anchors one below the other, more than any file has', () => {
    const anchors = Array.from({ length: 20_000 }, () => 'b')
    const added: Hunk = {
      line: 1,
      place: { by: 'context', anchors, atEnd: false },
      lines: [{ kind: 'add', text: 'new' }],
    }
    const { result, ms } = timed(4_000, () => applyHunks('b\n'.repeat(50_000), [added]))
    expect(result).toEqual({ ok: false, hunk: 1, reason: 'too-repetitive' })
    expect(ms).toBeLessThan(4_000)
  })
})
