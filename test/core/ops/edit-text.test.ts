import { describe, expect, test } from 'vitest'
import { contentHash } from '../../../src/change/content-hash.js'
import { editText } from '../../../src/ops/edit-text.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { backends } from './stage.js'

const encode = (text: string) => new TextEncoder().encode(text)
const literal = (find: string, replace: string) => ({ kind: 'literal' as const, find, replace })
const edit = (find: string, replace: string, path = 'a.txt') => ({ path, edits: [literal(find, replace)] })

/** Little-endian, with its mark. */
function utf16(text: string): Uint8Array {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return Uint8Array.from([0xff, 0xfe, ...units.flatMap((unit) => [unit & 0xff, unit >> 8])])
}

describe.each(backends)('editing text %s', (_name, open) => {
  describe('places', () => {
    test('a unique match is replaced, and the result has the text before and after', async () => {
      const { change } = await open({ 'a.txt': 'one\ntwo\nthree\n' })
      expect(await change(editText, edit('two', '2\n2'))).toEqual({
        result: {
          path: '/w/a.txt',
          edits: [
            {
              rule: 'exact',
              places: [
                {
                  before: { start: 4, end: 7, line: 2, endLine: 2 },
                  after: { start: 4, end: 7, line: 2, endLine: 3 },
                  lineDelta: 1,
                },
              ],
            },
          ],
          before: 'one\ntwo\nthree\n',
          after: 'one\n2\n2\nthree\n',
          hash: '7a91fabd0c194441d41c104712659f6dfaa0ab5ecbea5532ad1c9d1bc36c08ae',
        },
        tree: { 'a.txt': 'one\n2\n2\nthree\n' },
      })
    })

    test.each([
      ['all', 'z\nz z\nz\n', 4],
      [{ first: 2 }, 'z\nz x\nx\n', 2],
      [{ first: 9 }, 'z\nz z\nz\n', 4],
    ] as const)('%j of several', async (count, after, places) => {
      const { change } = await open({ 'a.txt': 'x\nx x\nx\n' })
      const { result, tree } = await change(editText, {
        path: 'a.txt',
        edits: [{ ...literal('x', 'z'), count }],
      })
      expect({ tree, places: result.edits[0]?.places.length }).toEqual({ tree: { 'a.txt': after }, places })
    })

    test('several matches are ambiguous unless all are requested, and every line is reported', async () => {
      const { refusal } = await open({ 'a.txt': 'x\ny\nx x\n' })
      expect(await refusal(editText, edit('x', 'z'))).toEqual({
        code: 'AMBIGUOUS_MATCH',
        path: '/w/a.txt',
        edit: 0,
        rule: 'exact',
        count: 3,
        lines: [1, 3, 3],
      })
    })

    test('only within some lines, without regard to case, or optional', async () => {
      const { change, workspace } = await open({ 'a.txt': 'x\nX\nx\n' })
      const within = { ...literal('x', 'z'), within: { first: 2, last: 2 }, caseInsensitive: true }
      expect((await change(editText, { path: 'a.txt', edits: [within] })).tree).toEqual({ 'a.txt': 'x\nz\nx\n' })
      const recorded = await workspace.history.list()
      const optional = { ...literal('absent', 'y'), optional: true }
      expect((await change(editText, { path: 'a.txt', edits: [optional] })).result.edits).toEqual([{ places: [] }])
      expect(await workspace.history.list()).toEqual(recorded)
    })

    test('a tolerant rule that was used is reported', async () => {
      const { change } = await open({ 'a.py': 'def f():\n    if x:\n        y()\n' })
      const { result, tree } = await change(editText, {
        ...edit('if x:\n    y()', 'if z:\n    y()', 'a.py'),
        options: { rules: ['exact', 'indentation'] },
      })
      expect({ rule: result.edits[0]?.rule, tree }).toEqual({
        rule: 'indentation',
        tree: { 'a.py': 'def f():\n    if z:\n        y()\n' },
      })
    })

    test('lines for lines, lines for none, and new ones in between', async () => {
      const { change } = await open({ 'a.txt': 'one\ntwo\nthree\n' })
      const edits = [
        { kind: 'lines' as const, first: 1, last: 2, lines: ['1', '2', '2b'] },
        { kind: 'insert' as const, before: 5, lines: ['four'] },
        { kind: 'lines' as const, first: 2, last: 2, lines: [] },
        { kind: 'insert' as const, before: 1, lines: ['zero'] },
      ]
      expect((await change(editText, { path: 'a.txt', edits })).tree).toEqual({
        'a.txt': 'zero\n1\n2b\nthree\nfour\n',
      })
    })

    test('lines must exist and have the expected content', async () => {
      const { refusal } = await open({ 'a.txt': 'one\ntwo\nthree\n' })
      const expected = { lines: ['three'], compare: 'exact' as const }
      const other = { kind: 'lines' as const, first: 2, last: 2, lines: ['x'], expected }
      expect(await refusal(editText, { path: 'a.txt', edits: [other] })).toEqual({
        code: 'NO_MATCH',
        path: '/w/a.txt',
        edit: 0,
        explanation: {
          cause: 'other-lines',
          lines: [3],
          nearest: { line: 2, endLine: 2, text: 'two', similarity: expect.any(Number) },
        },
      })
      const past = { kind: 'insert' as const, before: 5, lines: ['x'] }
      expect(await refusal(editText, { path: 'a.txt', edits: [past] })).toEqual({
        code: 'LINE_OUT_OF_RANGE',
        path: '/w/a.txt',
        edit: 0,
        line: 5,
        lineCount: 3,
      })
    })

    test('each edit sees what the one before it left, and one that fails undoes them all', async () => {
      const { change, refusal } = await open({ 'a.txt': 'a b c\n' })
      expect((await change(editText, { path: 'a.txt', edits: [literal('a', 'X'), literal('X b', 'Y')] })).tree).toEqual(
        { 'a.txt': 'Y c\n' },
      )
      expect(await refusal(editText, { path: 'a.txt', edits: [literal('Y', 'Z'), literal('Y c', 'x')] })).toMatchObject(
        { code: 'NO_MATCH', edit: 1 },
      )
    })
  })

  test('a dry run reports everything, changes nothing and writes no history', async () => {
    const { run, tree, workspace, leftovers } = await open({ 'a.txt': 'one\n' })
    const { before, after } = await run(editText, { ...edit('one', 'two'), dryRun: true })
    expect({ before, after, tree: await tree(), history: await workspace.history.list() }).toEqual({
      before: 'one\n',
      after: 'two\n',
      tree: { 'a.txt': 'one\n' },
      history: [],
    })
    expect(await leftovers()).toEqual([])
  })

  describe('what is not found is explained', () => {
    test.each([
      ['tabs-and-spaces', '\tfoo()\n\tbar()\n', '    foo()\n    bar()', [1]],
      ['whitespace', 'foo( a )\n', 'foo(a)', [1]],
      ['byte-order-mark', 'one\n', '\ufeffone', [1]],
      ['escaped-text', 'a "b" c\n', 'a \\"b\\" c', [1]],
      ['line-number-prefixes', 'alpha\nbeta\n', '     1\talpha\n     2\tbeta', [1]],
      ['look-alike-characters', 'say “hello” there\n', 'say "hello" there', [1]],
      ['letter-case', 'Hello There\n', 'hello there', [1]],
      ['already-applied', 'x\nreplacement\n', 'original text', [2]],
      ['similar-text', 'const total = sum(values)\n', 'const total = sum(value, 1)', undefined],
      ['absent', 'alpha\n', 'zzzzzzzz', undefined],
    ] as const)('%s', async (cause, text, find, lines) => {
      const { refusal } = await open({ 'a.txt': text })
      expect(await refusal(editText, edit(find, 'replacement'))).toMatchObject({
        code: 'NO_MATCH',
        path: '/w/a.txt',
        edit: 0,
        explanation: { cause, ...(lines && { lines }) },
      })
    })

    test('line-endings, where the rules do not forgive them', async () => {
      const { refusal } = await open({ 'a.txt': 'one\r\ntwo\r\n' })
      expect(await refusal(editText, { ...edit('one\ntwo', 'x'), options: { rules: ['exact'] } })).toMatchObject({
        explanation: { cause: 'line-endings', suggestion: 'one\r\ntwo', lines: [1] },
      })
    })

    test('other-lines, where it was looked for on some', async () => {
      const { refusal } = await open({ 'a.txt': 'one\ntwo\n' })
      const within = { ...literal('two', 'x'), within: { first: 1, last: 1 } }
      expect(await refusal(editText, { path: 'a.txt', edits: [within] })).toMatchObject({
        explanation: { cause: 'other-lines', lines: [2] },
      })
    })

    test('matches-earlier-version: the text was changed meanwhile', async () => {
      const { run, refusal } = await open({ 'a.txt': 'the first wording\n', 'b.txt': 'x\n' })
      await run(writeFiles, { files: [{ path: 'a.txt', content: 'something else\n' }] })
      await run(writeFiles, { files: [{ path: 'a.txt', content: 'and yet another\n' }] })
      expect(await refusal(editText, edit('the first wording', 'x'))).toMatchObject({
        explanation: { cause: 'matches-earlier-version' },
      })
      // Earlier versions of another file do not count.
      expect(await refusal(editText, edit('the first wording', 'y', 'b.txt'))).toMatchObject({
        explanation: { cause: 'absent' },
      })
    })

    test('matches-earlier-version: an edit of the same call took it away', async () => {
      const { refusal } = await open({ 'a.txt': 'the first wording\n' })
      const edits = [literal('the first wording', 'zzz'), literal('the first', 'x')]
      expect(await refusal(editText, { path: 'a.txt', edits })).toMatchObject({
        edit: 1,
        explanation: { cause: 'matches-earlier-version' },
      })
    })
  })

  describe('bytes that no edit names stay', () => {
    test('of a Latin-1 file', async () => {
      const latin1 = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x6f, 0x6e, 0x65, 0x0a, 0xff, 0xc3])
      const { change } = await open({ 'a.txt': latin1 })
      expect((await change(editText, edit('one', 'é'))).tree).toEqual({
        'a.txt': Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xc3, 0xa9, 0x0a, 0xff, 0xc3]),
      })
    })

    test('of a UTF-16 file, which is edited in its own encoding', async () => {
      const { change } = await open({ 'a.txt': utf16('one\r\ntwo 😀\r\n') })
      expect((await change(editText, edit('two', 'zwölf'))).tree).toEqual({
        'a.txt': utf16('one\r\nzwölf 😀\r\n'),
      })
    })

    test('mixed line endings, byte-order mark, no final newline, mode', async () => {
      const { change } = await open({ 'a.txt': { text: '\ufeffa\r\nb\nc\rd\r\ntail', mode: '750' } })
      expect((await change(editText, edit('b', 'B\nBB'))).tree).toEqual({
        'a.txt': { text: '\ufeffa\r\nB\nBB\nc\rd\r\ntail', mode: '750' },
      })
    })
  })

  describe('is refused', () => {
    test('for a file that is not text, missing or too large', async () => {
      const { refusal } = await open(
        { 'd/': '', 'b.bin': new Uint8Array([0x61, 0, 0x62]), 'big.txt': 'x'.repeat(101) },
        { limits: { maxFileBytes: 100 } },
      )
      expect(await refusal(editText, edit('a', 'b', 'd'))).toEqual({ code: 'IS_A_DIRECTORY', path: '/w/d' })
      expect(await refusal(editText, edit('a', 'b', 'gone'))).toEqual({ code: 'NOT_FOUND', path: '/w/gone' })
      expect(await refusal(editText, { ...edit('a', 'b', 'b.bin'), binaryWindow: 8000 })).toEqual({
        code: 'BINARY',
        path: '/w/b.bin',
      })
      expect(await refusal(editText, edit('x', 'b', 'big.txt'))).toEqual({
        code: 'TOO_LARGE',
        path: '/w/big.txt',
        size: 101,
        limit: 100,
      })
    })

    test('only within the window does a NUL make a file binary', async () => {
      const { change } = await open({ 'a.txt': `${'x'.repeat(10)}\0${'y'.repeat(9)}z` })
      expect((await change(editText, { ...edit('z', 'Z'), binaryWindow: 10 })).tree).toEqual({
        'a.txt': `${'x'.repeat(10)}\0${'y'.repeat(9)}Z`,
      })
    })

    test('for an encoding that is not asked for', async () => {
      const { refusal } = await open({ 'a.txt': utf16('one\n') })
      expect(await refusal(editText, { ...edit('one', 'x'), encodings: ['utf-8'] })).toEqual({
        code: 'WRONG_ENCODING',
        path: '/w/a.txt',
        encoding: 'utf-16le',
      })
    })

    test('for a file that is not the one that was seen', async () => {
      const { refusal, change } = await open({ 'a.txt': 'one\n' })
      const [expected, actual] = [await contentHash(encode('seen')), await contentHash(encode('one\n'))]
      expect(await refusal(editText, { ...edit('one', 'x'), expectedHash: expected })).toEqual({
        code: 'STALE',
        path: '/w/a.txt',
        expected,
        actual,
      })
      expect((await change(editText, { ...edit('one', 'x'), expectedHash: actual })).tree).toEqual({ 'a.txt': 'x\n' })
    })

    test('for an edit that makes no sense', async () => {
      const { refusal } = await open({ 'a.txt': 'one\n' })
      expect(await refusal(editText, edit('', 'x'))).toEqual({
        code: 'INVALID_EDIT',
        path: '/w/a.txt',
        edit: 0,
        reason: 'empty-search',
      })
      expect(await refusal(editText, edit('one', '\ud800'))).toMatchObject({ reason: 'malformed-text' })
      expect(await refusal(editText, edit('one', 'one'))).toEqual({ code: 'NO_CHANGE', path: '/w/a.txt', edit: 0 })
    })

    test('a link at the end is followed or refused, as asked for', async () => {
      const { refusal, change } = await open({ 'd/a.txt': 'one\n', to: { link: 'd/a.txt' }, no: { link: 'gone' } })
      expect(await refusal(editText, { ...edit('one', 'x', 'to'), finalLink: 'refuse' })).toEqual({
        code: 'IS_LINK',
        path: '/w/to',
      })
      expect(await refusal(editText, edit('one', 'x', 'no'))).toEqual({ code: 'NOT_FOUND', path: '/w/no' })
      expect(await change(editText, edit('one', 'x', 'to'))).toMatchObject({
        result: { path: '/w/to' },
        tree: { 'd/a.txt': 'x\n', to: { link: 'd/a.txt' } },
      })
    })
  })
})
