import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../../../src/text/diff/unified-diff.js'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import { explainHunk } from '../../../../src/text/patch/explain-hunk.js'
import type { Hunk, HunkLine } from '../../../../src/text/patch/patch.js'
import { parseUnifiedPatch } from '../../../../src/text/patch/unified-patch.js'
import { parseV4aPatch } from '../../../../src/text/patch/v4a-patch.js'

/** Why the first hunk that does not fit does not; undefined if all fit. */
function explain(text: string, hunks: readonly Hunk[], earlierVersions: readonly string[] = []) {
  const applied = applyHunks(text, hunks)
  if (applied.ok) return undefined
  const { ok: _, ...failure } = applied
  return { reason: failure.reason, ...explainHunk(text, hunks, failure, { earlierVersions }) }
}

function hunksOf(patch: string): readonly Hunk[] {
  const [file] = patch.startsWith('***') ? parseV4aPatch(patch) : parseUnifiedPatch(`--- a/x\n+++ b/x\n${patch}`)
  return file?.hunks ?? []
}

const code = [
  'class A {',
  '\tfirst() {',
  '\t\treturn 1',
  '\t}',
  '',
  '\tsecond() {',
  "\t\treturn '2'",
  '\t}',
  '}',
  '',
].join('\n')

describe('a hunk whose lines differ in', () => {
  const cases: Record<string, { patch: string; cause: string; result: string }> = {
    'tabs and spaces is indented like the file': {
      patch:
        '@@ -2,2 +2,4 @@\n     first() {\n-        return 1\n+        if (x) {\n+            return 2\n+        }\n',
      cause: 'tabs-and-spaces',
      result: code.replace('\t\treturn 1\n', '\t\tif (x) {\n\t\t\treturn 2\n\t\t}\n'),
    },
    'white space at the end of a line': {
      patch: '@@ -3,2 +3,2 @@\n-\t\treturn 1  \n+\t\treturn 3\n \t}\n',
      cause: 'whitespace',
      result: code.replace('return 1', 'return 3'),
    },
    'quotes that look alike': {
      patch: '@@ -6,2 +6,2 @@\n \tsecond() {\n-\t\treturn ‘2’\n+\t\treturn 2\n',
      cause: 'look-alike-characters',
      result: code.replace("return '2'", 'return 2'),
    },
    'letter case': {
      patch: "@@ -6,2 +6,2 @@\n \tSECOND() {\n-\t\treturn '2'\n+\t\treturn 2\n",
      cause: 'letter-case',
      result: code.replace("return '2'", 'return 2'),
    },
    'a context line': {
      patch: "@@ -5,3 +5,3 @@\n \n \tsecond(parameter) {\n-\t\treturn '2'\n+\t\treturn 2\n",
      cause: 'similar-text',
      result: code.replace("return '2'", 'return 2'),
    },
    'a blank line that only the file has': {
      patch: '@@ -2,3 +2,3 @@\n \tfirst() {\n-\t\treturn 1\n+\t\treturn 3\n \t}\n \tsecond() {\n'.replace(
        '-2,3 +2,3',
        '-2,4 +2,4',
      ),
      cause: 'whitespace',
      result: code.replace('return 1', 'return 3'),
    },
    'line numbers in front': {
      patch: '@@ -2,3 +2,3 @@\n 2\t\tfirst() {\n-3\t\t\treturn 1\n+\t\treturn 3\n 4\t\t}\n',
      cause: 'line-number-prefixes',
      result: code.replace('return 1', 'return 3'),
    },
  }

  test.each(Object.entries(cases))('%s', (_, { patch, cause, result }) => {
    const hunks = hunksOf(patch)
    const { suggestion = '', ...explained } = explain(code, hunks) ?? {}
    expect(explained).toMatchObject({ cause })
    expect(applyHunks(code, hunksOf(suggestion))).toEqual({ ok: true, text: result })
  })
})

test('a removed line for which several stand in the file is left to the caller, who gets the lines', () => {
  const patch = '@@ -2,3 +2,2 @@\n \tfirst() {\n-\t\tconst one = 1; return one\n \t}\n'
  const file = code.replace('\t\treturn 1\n', '\t\tconst one = 1\n\t\treturn one\n')
  expect(explain(file, hunksOf(patch))).toEqual({
    reason: 'not-found',
    patchLine: 3,
    cause: 'similar-text',
    nearest: { line: 2, texts: ['\tfirst() {', '\t\tconst one = 1', '\t\treturn one'] },
  })
})

test('lines that were in an earlier version', () => {
  const earlier = code.replace('return 1', 'return oldName()')
  const patch = '@@ -2,3 +2,3 @@\n \tfirst() {\n-\t\treturn oldName()\n+\t\treturn newName()\n \t}\n'
  expect(explain(code, hunksOf(patch), [earlier])).toMatchObject({
    cause: 'matches-earlier-version',
    suggestion: '@@ -2,3 +2,3 @@\n \tfirst() {\n-\t\treturn 1\n+\t\treturn newName()\n \t}\n',
  })
})

describe('V4A', () => {
  test('an anchor that is spelt otherwise is corrected', () => {
    const patch = "*** Begin Patch\n*** Update File: x\n@@ secand() {\n-\t\treturn '2'\n+\t\treturn 2\n*** End Patch"
    expect(explain(code, hunksOf(patch))).toMatchObject({
      reason: 'anchor-not-found',
      suggestion: "@@ \tsecond() {\n-\t\treturn '2'\n+\t\treturn 2\n",
    })
  })

  test('an end of file that is not the end is left out', () => {
    const patch =
      '*** Begin Patch\n*** Update File: x\n@@\n-\t\treturn 1\n+\t\treturn 3\n*** End of File\n*** End Patch'
    expect(explain(code, hunksOf(patch))).toMatchObject({
      reason: 'not-at-end',
      lines: [3],
      suggestion: '@@\n-\t\treturn 1\n+\t\treturn 3\n',
    })
  })
})

test('a patch that was applied is recognised, and only then', () => {
  const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'epsilon', '}', '')
  const text = fc
    .array(word, { minLength: 3, maxLength: 25 })
    .map((lines) => lines.map((line, at) => `${line} ${at % 7}\n`).join(''))
  const edited = text.chain((before) =>
    fc.tuple(fc.nat(20), fc.nat(2), fc.array(word, { minLength: 1, maxLength: 3 })).map(([at, drop, put]) => {
      const lines = before.split('\n')
      lines.splice(at % lines.length, drop, ...put.map((line) => `new ${line}`))
      return { before, after: lines.join('\n') }
    }),
  )
  fc.assert(
    fc.property(edited, ({ before, after }) => {
      const hunks = parseUnifiedPatch(unifiedDiff({ path: 'x', before, after }))[0]?.hunks ?? []
      // A file that has the change, or has neither.
      expect(explain(after, hunks)?.cause ?? 'already-applied').toBe('already-applied')
      expect(explain('something\nelse\nentirely\n', hunks)?.cause).not.toBe('already-applied')
    }),
    { numRuns: 500 },
  )
})

test('what is suggested makes the change that was meant, whatever white space was wrong', () => {
  const statement = fc.constantFrom('let a = 1', 'call(b)', 'if (x) {', '}', 'return y', 'for (;;) {', '// note')
  const file = fc
    .array(fc.tuple(fc.nat(3), statement), { minLength: 6, maxLength: 30 })
    // Numbered, so that each line is where it is and nowhere else.
    .map((rows) => rows.map(([depth, row], at) => `${'  '.repeat(depth)}${row} /* ${at} */`))
  const spoil = fc.constantFrom<(line: string) => string>(
    (line) => line.replaceAll('  ', '\t'),
    (line) => `${line}  `,
    (line) => `  ${line}`,
    (line) => line.replace(' ', '  '),
    (line) => line.trimStart(),
  )
  fc.assert(
    fc.property(file, fc.nat(30), spoil, (lines, at, wrong) => {
      const place = at % lines.length
      const before = `${lines.join('\n')}\n`
      const after = `${lines.map((line, index) => (index === place ? `${line} changed` : line)).join('\n')}\n`
      const [hunk] = parseUnifiedPatch(unifiedDiff({ path: 'x', before, after }))[0]?.hunks ?? []
      if (hunk === undefined) throw new Error('there is a change')
      const spoilt = {
        ...hunk,
        lines: hunk.lines.map((line): HunkLine => (line.kind === 'add' ? line : { ...line, text: wrong(line.text) })),
      }
      const explained = explain(before, [spoilt])
      if (explained === undefined) return
      const { suggestion = '' } = explained
      const result = applyHunks(before, hunksOf(suggestion))
      const bare = (text: string) => text.replace(/[^\S\n]+/g, ' ').replace(/^ | $/gm, '')
      expect({ explained, text: result.ok && bare(result.text) }).toEqual({ explained, text: bare(after) })
    }),
    { numRuns: 500 },
  )
})
