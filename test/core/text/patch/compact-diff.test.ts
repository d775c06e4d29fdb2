import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CompactChange,
  compactDiff,
  compactHeader,
  compactHunks,
  compactStat,
  cutMark,
} from '../../../../src/text/diff/compact-diff.js'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import { parseCompactHeader } from '../../../../src/text/patch/compact-header.js'
import { parseUnifiedPatch } from '../../../../src/text/patch/unified-patch.js'

describe('a compact diff', () => {
  test('names each file once, says what happened to it, and shows the changes', () => {
    const changes: CompactChange[] = [
      { kind: 'changed', path: 'src/a.ts', before: 'one\ntwo\nthree\n', after: 'one\n2\nthree\n' },
      { kind: 'created', path: 'run.sh', after: 'echo\n', mode: 0o755 },
      { kind: 'deleted', path: 'old.txt', before: 'x\n' },
      { kind: 'renamed', path: 'b.txt', toPath: 'c d.txt', before: 'x', after: 'x', similarity: 100 },
      { kind: 'renamed', path: 'e', toPath: 'f', before: 'x\ny\n', after: 'x\nz\n', similarity: 50 },
      { kind: 'changed', path: 'logo.png', remark: 'binary' },
    ]
    expect(changes.map((change) => compactDiff(change)).join('')).toBe(
      [
        'changed src/a.ts',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '+2',
        ' three',
        'created run.sh (mode 755)',
        '@@ -0,0 +1 @@',
        '+echo',
        'deleted old.txt',
        '@@ -1 +0,0 @@',
        '-x',
        'renamed b.txt -> c d.txt',
        'renamed e -> f (50% similar)',
        '@@ -1,2 +1,2 @@',
        ' x',
        '-y',
        '+z',
        'changed logo.png (binary)',
        '',
      ].join('\n'),
    )
    expect(compactStat(changes)).toEqual({
      rows: [
        'changed src/a.ts +1 -1',
        'created run.sh (mode 755) +1 -0',
        'deleted old.txt +0 -1',
        'renamed b.txt -> c d.txt +0 -0',
        'renamed e -> f (50% similar) +1 -1',
        'changed logo.png (binary)',
      ],
      added: 3,
      removed: 3,
    })
  })

  test('has as many lines of context as asked for', () => {
    const lines = Array.from({ length: 9 }, (_, at) => `${at + 1}\n`)
    const before = lines.join('')
    const after = before.replace('5', 'five')
    expect(compactHunks(before, after, { context: 1 })).toEqual({
      text: '@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n',
      added: 1,
      removed: 1,
      isCut: false,
    })
    expect(compactHunks(before, before)).toEqual({ text: '', added: 0, removed: 0, isCut: false })
  })
})

describe('long lines', () => {
  const filler = (letter: string, length: number) => `${letter} `.repeat(length / 2)

  test('show what has changed in them and what is around it', () => {
    const before = `${filler('a', 400)}old word${filler('b', 400)}\n`
    const after = before.replace('old', 'new')
    const { text, isCut } = compactHunks(before, after)
    const shown = (word: string) => `…${filler('a', 40)}${word} word${filler('b', 34)}b…`
    expect(text).toBe(`@@ -1 +1 @@ ${cutMark}\n-${shown('old')}\n+${shown('new')}\n`)
    expect(isCut).toBe(true)
  })

  test('show several changes far apart, and as many of them as fit', () => {
    const before = `${Array.from({ length: 9 }, (_, at) => `<${at}>${'x'.repeat(500)}`).join('')}\n`
    const after = before.replace('<1>', '<one>').replace('<7>', '<seven>')
    const [, removed, added] = compactHunks(before, after).text.split('\n')
    expect(removed).toBe(`-…${'x'.repeat(39)}<1>${'x'.repeat(39)}…${'x'.repeat(39)}<7>${'x'.repeat(39)}…`)
    expect(added).toBe(`+…${'x'.repeat(39)}<one>${'x'.repeat(39)}…${'x'.repeat(39)}<seven>${'x'.repeat(39)}…`)
    const many = compactHunks(before, before.replaceAll('<', '[')).text.split('\n')
    const further = [1, 2, 3].map((at) => `${'x'.repeat(40)}[${at}>${'x'.repeat(38)}…`)
    expect(many[2]).toBe(`+[0>${'x'.repeat(38)}…${further.join('')}`)
  })

  test('that are new, gone or only context show their beginning and end', () => {
    const long = `begin${'-'.repeat(1000)}end\n`
    expect(compactHunks(`${long}x\n`, `${long}y\n${long}`).text.split('\n')).toEqual([
      `@@ -1,2 +1,3 @@ ${cutMark}`,
      ` begin${'-'.repeat(220)}…${'-'.repeat(72)}end`,
      '-x',
      '+y',
      `+begin${'-'.repeat(220)}…${'-'.repeat(72)}end`,
      '',
    ])
  })

  test('are never cut within a character, and never stay much longer than allowed', () => {
    const unit = fc.constantFrom('a', ' ', '😀', 'é', '日本', '{', 'word', '"x"')
    const line = fc.array(unit, { maxLength: 900 }).map((units) => units.join(''))
    const edited = line.chain((before) =>
      fc
        .array(
          fc.tuple(
            fc.nat(before.length),
            fc.nat(30),
            line.map((more) => more.slice(0, 50).toWellFormed()),
          ),
          { maxLength: 4 },
        )
        .map((edits) => {
          let after = before
          for (const [at, length, text] of edits) after = after.slice(0, at) + text + after.slice(at + length)
          return [before, after.toWellFormed()] as const
        }),
    )
    fc.assert(
      fc.property(edited, ([before, after]) => {
        fc.pre(before !== after)
        const { text, isCut } = compactHunks(before, after)
        expect(text.isWellFormed()).toBe(true)
        for (const row of text.split('\n')) expect(row.length).toBeLessThan(320)
        expect(isCut).toBe(Math.max(before.length, after.length) > 300)
        const shownOf = (sign: string) =>
          text
            .split('\n')
            .find((row) => row.startsWith(sign))
            ?.slice(1) ?? ''
        for (const [sign, whole] of [
          ['-', before],
          ['+', after],
        ] as const) {
          // What is shown is in the line, in this order.
          let at = 0
          for (const part of shownOf(sign).split('…')) {
            const found = whole.indexOf(part, at)
            expect(found).toBeGreaterThanOrEqual(0)
            at = found + part.length
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('make a hunk that is not applied', () => {
    const long = 'x'.repeat(400)
    const patch = compactDiff({ kind: 'changed', path: 'a', before: `${long}\n`, after: `${long}y\n` })
    expect(() => parseUnifiedPatch(patch, { compact: true })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ line: 2 }) }),
    )
  })
})

const name = fc
  .array(
    fc.constantFrom('a', 'b ', 'ü', '"', '\\', '\t', '🎉', ' -> ', ' (x)', '(mode 755)', ' ', '\u202e', '\n', '/', ')'),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))

test('any name is read as it was written', () => {
  fc.assert(
    fc.property(name, name, fc.option(fc.constantFrom(0o755, 0o644)), (path, toPath, mode) => {
      const more = mode === null ? {} : { mode }
      for (const kind of ['changed', 'created', 'deleted'] as const) {
        expect(parseCompactHeader(compactHeader({ kind, path, ...more }))).toEqual({ kind, path, ...more })
      }
      const renamed = { kind: 'renamed', path, toPath, ...more } as const
      expect(parseCompactHeader(compactHeader({ ...renamed, similarity: 61 }))).toEqual(renamed)
      const binary = { kind: 'changed', path, remark: 'binary' } as const
      expect(parseCompactHeader(compactHeader(binary))).toEqual(binary)
    }),
    { numRuns: 1000 },
  )
})

/** Lines that could pass for the syntax of a patch. */
const lineText = fc.constantFrom(
  '',
  'a',
  'b',
  '  a',
  '}',
  '-- a',
  '++ b',
  '@@ -1 +1 @@',
  'changed a',
  'renamed a -> b',
  '\r',
)
const text = fc
  .tuple(fc.array(lineText, { maxLength: 20 }), fc.constantFrom('', '\n'))
  .map(([lines, last]) => lines.join('\n') + last)

test('what is printed is read again and applied, several files in one patch', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text, fc.constantFrom('changed', 'created', 'deleted', 'renamed')), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.uniqueArray(name, { minLength: 10, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      (files, names, context) => {
        const changes = files.map(([before, after, kind], at): CompactChange => {
          const path = names[at] as string
          if (kind === 'created') return { kind, path, after }
          if (kind === 'deleted') return { kind, path, before }
          if (kind === 'renamed') return { kind, path, toPath: names[at + 5] as string, before, after }
          return { kind: 'changed', path, before, after: before === after ? `${after}more\n` : after }
        })
        const patch = changes.map((change) => compactDiff(change, { context })).join('')
        const blocks = parseUnifiedPatch(patch, { compact: true })
        const kinds = { changed: 'modify', created: 'create', deleted: 'delete', renamed: 'rename' } as const
        expect(blocks.map(({ kind, path }) => ({ kind, path }))).toEqual(
          changes.map(({ kind, path }) => ({ kind: kinds[kind], path })),
        )
        for (const [at, { before = '', after = '' }] of changes.entries()) {
          expect(applyHunks(before, blocks[at]?.hunks ?? [])).toEqual({ ok: true, text: after })
        }
      },
    ),
    { numRuns: 500 },
  )
})

describe('reading', () => {
  const standard = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'

  test('text around an ordinary patch that looks like a header is not a header', () => {
    const mail = `renamed a -> b\ncreated c\nchanged nothing\ndeleted d (binary)\n\n${standard}`
    expect(parseUnifiedPatch(mail, { compact: true })).toEqual(
      parseUnifiedPatch(standard).map((block) => ({
        ...block,
        line: 6,
        hunks: block.hunks?.map((hunk) => ({ ...hunk, line: 8 })),
      })),
    )
  })

  test('unless it has hunks', () => {
    const mixed = `changed y\n@@ -1 +1 @@\n-a\n+b\n${standard}`
    expect(parseUnifiedPatch(mixed, { compact: true }).map(({ path }) => path)).toEqual(['y', 'x'])
    expect(() => parseUnifiedPatch(mixed)).toThrow(expect.objectContaining({ code: 'MALFORMED_PATCH' }))
  })

  test('content that is not there is refused, but directories are no matter', () => {
    const read = (patch: string) =>
      parseUnifiedPatch(patch, { compact: true }).map(({ kind, path }) => `${kind} ${path}`)
    expect(read('created d (directory)\ncreated d/e\n')).toEqual(['create d/e'])
    expect(() => read('created d (binary)\nrenamed a -> b\n')).toThrow(
      expect.objectContaining({ facts: { line: 1, reason: 'the content is not in the patch (binary)' } }),
    )
    expect(() => read('renamed d -> e (directory)\n')).toThrow(expect.objectContaining({ code: 'MALFORMED_PATCH' }))
    expect(() => read('changed x\n')).toThrow(expect.objectContaining({ code: 'MALFORMED_PATCH' }))
  })
})
