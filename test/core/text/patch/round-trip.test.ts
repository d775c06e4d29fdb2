import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../../../src/text/diff/unified-diff.js'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import type { Hunk } from '../../../../src/text/patch/patch.js'
import { parseUnifiedPatch } from '../../../../src/text/patch/unified-patch.js'
import { parseV4aPatch } from '../../../../src/text/patch/v4a-patch.js'

const settings = { numRuns: 400 }

/** Few different lines, so that they repeat; among them text that could pass for the syntax of a patch. */
const lineText = fc.constantFrom(
  ...[
    '',
    'a',
    'b',
    '  a',
    'a  ',
    '}',
    'ä 日 🎉',
    '\udc80\udcff',
    '\ufeffx',
    'x\ry',
    '\r',
    '-- a',
    '++ b',
    '@@ -1 +1 @@',
    '\\ No newline',
  ],
)
const ending = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\n', '\r')
const text = fc
  .tuple(fc.array(fc.tuple(lineText, ending), { maxLength: 25 }), fc.option(lineText, { nil: '' }))
  .map(([lines, last]) => lines.flat().join('') + last)

/** A text and another made of it by a few edits, or by none at all. */
const pair = fc.oneof(
  fc.tuple(text, text),
  text.chain((before) => fc.tuple(fc.constant(before), editOf(before))),
)

const path = fc
  .array(fc.constantFrom('a', 'b ', 'ü', '"', '\\', '\t', '🎉', "'", '\u0001'), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))

describe('printed, read again and applied', () => {
  test('a unified diff gives back the new text, and in reverse the old', () => {
    fc.assert(
      fc.property(pair, path, fc.integer({ min: 1, max: 4 }), ([before, after], path, context) => {
        fc.pre(before !== after)
        const patches = parseUnifiedPatch(unifiedDiff({ path, before, after }, { context }))
        expect(patches.map(({ kind, path }) => ({ kind, path }))).toEqual([{ kind: 'modify', path }])
        const hunks = patches[0]?.hunks ?? []
        expect(applyHunks(before, hunks)).toEqual({ ok: true, text: after })
        expect(applyHunks(after, reversed(hunks))).toEqual({ ok: true, text: before })
      }),
      settings,
    )
  })

  test('creation, deletion and renaming too, several in one patch', () => {
    fc.assert(
      fc.property(pair, fc.uniqueArray(path, { minLength: 4, maxLength: 4 }), ([before, after], [a, b, c, d]) => {
        const patch =
          unifiedDiff({ path: a as string, after }) +
          unifiedDiff({ path: b as string, before }) +
          unifiedDiff({ path: c as string, toPath: d as string, before, after })
        const [created, deleted, renamed] = parseUnifiedPatch(patch)
        expect(applyHunks('', created?.hunks ?? [])).toEqual({ ok: true, text: after })
        expect(applyHunks(before, deleted?.hunks ?? [])).toEqual({ ok: true, text: '' })
        expect(applyHunks(before, renamed?.hunks ?? [])).toEqual({ ok: true, text: after })
        expect([created, deleted, renamed]).toMatchObject([
          { kind: 'create', path: a },
          { kind: 'delete', path: b },
          { kind: 'rename', path: c, toPath: d },
        ])
      }),
      settings,
    )
  })

  test('a unified diff still fits after lines were put above', () => {
    fc.assert(
      fc.property(distinctPair, fc.integer({ min: 1, max: 30 }), ([before, after], above) => {
        fc.pre(before !== after && before !== '')
        const hunks = parseUnifiedPatch(unifiedDiff({ path: 'x', before, after }))[0]?.hunks ?? []
        const lines = Array.from({ length: above }, (_, at) => `above ${at}\n`).join('')
        expect(applyHunks(lines + before, hunks)).toEqual({ ok: true, text: lines + after })
      }),
      settings,
    )
  })

  test('a patch whose line endings were converted does the same to a file whose were not', () => {
    fc.assert(
      fc.property(distinctPair, ([before, after]) => {
        fc.pre(before !== after)
        const patch = unifiedDiff({ path: 'x', before, after })
        const crlf = (text: string) => text.replaceAll('\n', '\r\n')
        const converted = parseUnifiedPatch(crlf(patch))[0]?.hunks ?? []
        expect(applyHunks(before, converted)).toEqual({ ok: true, text: after })
        if (before === '') return
        expect(applyHunks(crlf(before), converted)).toEqual({ ok: true, text: crlf(after) })
        expect(applyHunks(crlf(before), parseUnifiedPatch(patch)[0]?.hunks ?? [])).toEqual({
          ok: true,
          text: crlf(after),
        })
      }),
      settings,
    )
  })

  test('a V4A patch of distinct lines produces the new text, with any line ending', () => {
    fc.assert(
      fc.property(distinctPair, fc.constantFrom('\n', '\r\n'), ([before, after], ending) => {
        fc.pre(before !== after && before !== '')
        const [patch] = parseV4aPatch(v4aPatch(before, after))
        const [from, to] = [before.replaceAll('\n', ending), after.replaceAll('\n', ending)]
        expect(applyHunks(from, patch?.hunks ?? [])).toEqual({ ok: true, text: to })
      }),
      settings,
    )
  })

  test('a V4A patch of repeated lines gives the new text or is refused as ambiguous, never another text', () => {
    fc.assert(
      fc.property(repetitivePair, ([before, after]) => {
        fc.pre(before !== after && before !== '')
        const [patch] = parseV4aPatch(v4aPatch(before, after))
        const applied = applyHunks(before, patch?.hunks ?? [])
        expect(applied.ok ? applied.text : applied.reason).toBe(applied.ok ? after : 'ambiguous')
      }),
      settings,
    )
  })
})

const distinctPair = linesPair(
  fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 30 }).map((all) => all.map(String)),
)
const repetitivePair = linesPair(fc.array(fc.constantFrom('', 'a', '  a', '}', '***', '@@'), { maxLength: 30 }))

/** Lists of lines, each ended with LF, and the same list after a few edits. */
function linesPair(lines: fc.Arbitrary<string[]>): fc.Arbitrary<readonly [string, string]> {
  const joined = (all: readonly string[]) => all.map((line) => `${line}\n`).join('')
  const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom('add', 'remove', 'replace')), { maxLength: 5 })
  return fc.tuple(lines, edits).map(([all, edits]) => {
    const edited = [...all]
    for (const [index, [place, what]] of edits.entries()) {
      const at = place % (edited.length + 1)
      edited.splice(at, what === 'add' ? 0 : 1, ...(what === 'remove' ? [] : [`new ${index}`]))
    }
    return [joined(all), joined(edited)]
  })
}

function editOf(before: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(before.length), fc.nat(4), fc.oneof(lineText, ending)).map(([at, length, insert]) => {
    return before.slice(0, at) + insert + before.slice(at + length)
  })
}

/** The hunks that undo these. */
function reversed(hunks: readonly Hunk[]): Hunk[] {
  const turn = { context: 'context', add: 'remove', remove: 'add' } as const
  let shift = 0
  return hunks.map((hunk) => {
    const count = (side: 'add' | 'remove') =>
      hunk.lines.filter(({ kind }) => kind === 'context' || kind === side).length
    const linesBefore = (hunk.place.by === 'number' ? hunk.place.oldStart : 0) - (count('remove') === 0 ? 0 : 1) + shift
    shift += count('add') - count('remove')
    const oldStart = linesBefore + (count('add') === 0 ? 0 : 1)
    return {
      ...hunk,
      place: { by: 'number', oldStart },
      lines: hunk.lines.map((line) => ({ ...line, kind: turn[line.kind] })),
    }
  })
}

/** Hunks as a unified diff has them, with three lines of context, under bare `@@` lines. */
function v4aPatch(before: string, after: string): string {
  const [, hunks] = unifiedDiff({ path: 'x', before, after }).split(/^\+\+\+ .*\n/m)
  return `*** Begin Patch\n*** Update File: x\n${hunks?.replace(/^@@ .*$/gm, '@@')}*** End Patch\n`
}
