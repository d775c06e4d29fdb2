import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../src/text/edit/edit.js'
import type { EditOptions } from '../../../src/text/edit/edit-types.js'
import { matchRules } from '../../../src/text/edit/match/rules.js'
import { whitespaceCases } from '../../data/whitespace-matches.js'
import { timed } from '../processor-time.js'

const policies: Record<'polyfs' | 'clarvis' | 'replay', EditOptions> = {
  polyfs: { rules: matchRules },
  clarvis: {
    rules: ['exact', 'line-endings', 'indentation', 'trimmed-lines', 'collapsed-whitespace', 'trimmed-substring'],
    reindent: 'none',
    endings: 'dominant',
  },
  replay: { rules: ['exact', 'line-endings', 'indentation'], reindent: 'block' },
}

describe('text sent with other white space than the file has', () => {
  it.each(whitespaceCases)('$name', ({ by = 'polyfs', text, find, replace, rule, result, ambiguous, cause }) => {
    const outcome = applyEdits(text, [{ kind: 'literal', find, replace }], policies[by])
    if (outcome.ended === 'applied') {
      expect({ rule: outcome.edits[0]?.rule, result: outcome.text }).toEqual({ rule, result })
    } else if (outcome.failure.code === 'AMBIGUOUS_MATCH') {
      expect(outcome.failure.lines).toEqual(ambiguous)
    } else {
      expect(outcome.failure).toMatchObject({ code: 'NO_MATCH', explanation: { cause } })
    }
  })

  it('a tab-indented file stays tab-indented with any indentation sent', () => {
    const line = fc.record({
      depth: fc.integer({ min: 1, max: 4 }),
      word: fc.constantFrom('alpha', 'beta', 'gamma', 'delta'),
    })
    const sent = fc.constantFrom('  ', '    ', '   ')
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 2, maxLength: 6 }),
        fc.array(line, { minLength: 1, maxLength: 6 }),
        sent,
        (old, fresh, step) => {
          const write = (lines: typeof old, indent: string) =>
            lines.map(({ depth, word }) => indent.repeat(depth) + word).join('\n')
          const text = `start\n${write(old, '\t')}\nend\n`
          const edit = { kind: 'literal', find: write(old, step), replace: `${write(fresh, step)}\n` } as const
          const outcome = applyEdits(text, [edit], policies.polyfs)
          if (outcome.ended !== 'applied') throw new Error(JSON.stringify(outcome))
          expect(outcome.text).not.toMatch(/^\t* /m)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('new lines keep their depth, even if the indentation steps differ', () => {
    const line = fc.record({ climb: fc.constantFrom(-3, -2, -1, 0, 0, 1), word: fc.integer({ min: 0, max: 9999 }) })
    const step = fc.constantFrom('\t', '  ', '   ', '    ')
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 3, maxLength: 9 }),
        step,
        step,
        fc.nat(),
        fc.nat(),
        (old, here, there, from, at) => {
          let depth = 0
          const file = old.map(({ climb, word }, index) => {
            depth = Math.max(0, depth + climb)
            return { depth, word: `line${index}_${word}` }
          })
          const write = (lines: typeof file, unit: string) =>
            lines.map((each) => unit.repeat(each.depth) + each.word).join('\n')
          // Some step is to be seen in the file.
          const text = (lines: typeof file) => `if\n${here}then\n${write(lines, here)}\n`
          const first = from % file.length
          const block = file.slice(first)
          const deeper = (block[at % block.length]?.depth ?? 0) + 1
          const below = (at % block.length) + 1
          const added = [deeper, deeper + 1].map((each) => ({ depth: each, word: `added${each}` }))
          const fresh = [...block.slice(0, below), ...added, ...block.slice(below)]
          const edit = { kind: 'literal', find: write(block, there), replace: write(fresh, there) } as const
          // What is found as it was sent is replaced as it was sent.
          fc.pre(!text(file).includes(edit.find))
          const outcome = applyEdits(text(file), [edit], policies.polyfs)
          expect(outcome).toMatchObject({ ended: 'applied', text: text([...file.slice(0, first), ...fresh]) })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a match far longer than the text sent is rejected', () => {
    const text = `x ${' '.repeat(600)} y\n`
    const outcome = applyEdits(text, [{ kind: 'literal', find: 'x y', replace: 'z' }], policies.polyfs)
    expect(outcome).toMatchObject({ ended: 'refused', failure: { code: 'NO_MATCH' } })
  })

  it.each([
    { name: 'a last line that is not there', text: 'x\n', find: `${' x\n'.repeat(10_000)}y`, code: 'NO_MATCH' },
    { name: 'another indent at the end', text: ' x\n', find: `${'x\n'.repeat(10_000)} x`, code: 'NO_MATCH' },
    { name: 'overlapping places', text: 'x y\n', find: 'x  y\n'.repeat(10_000), code: 'AMBIGUOUS_MATCH' },
    { name: 'nothing but blanks before it', text: 'y\n', find: `${' '.repeat(50_000)}x`, code: 'NO_MATCH' },
  ])('lines that repeat themselves take no more time: $name', ({ text, find, code }) => {
    const edit = { kind: 'literal', find, replace: 'z' } as const
    const { result, ms } = timed(5000, () => applyEdits(text.repeat(20_000), [edit], policies.polyfs))
    expect(result).toMatchObject({ ended: 'refused', failure: { code } })
    expect(ms).toBeLessThan(5000)
  })

  it.each([{ count: 'all' as const }, { count: { first: 2 } }, { caseInsensitive: true }, { perLine: true }])(
    'tolerance is for the one place only: $count $caseInsensitive $perLine',
    (more) => {
      const outcome = applyEdits(
        '  alpha\n  beta\n',
        [{ kind: 'literal', find: 'alpha\nbeta', replace: 'x', ...more }],
        policies.clarvis,
      )
      expect(outcome).toMatchObject({
        ended: 'refused',
        failure: { code: 'NO_MATCH', explanation: { cause: 'whitespace' } },
      })
    },
  )
})
