import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeText, openText } from '../../../src/text/decode/document.js'
import { applyEdits } from '../../../src/text/edit/edit.js'
import type { Edit, EditOptions, LinesEdit, LiteralEdit, RegexEdit } from '../../../src/text/edit/edit-types.js'
import { regexSearch } from '../../../src/text/edit/match/regex.js'
import { matchRules } from '../../../src/text/edit/match/rules.js'
import { scaled } from '../../scale.js'
import { timed } from '../processor-time.js'

function edited(text: string, edits: Edit | readonly Edit[], options?: EditOptions): string {
  const outcome = applyEdits(text, [edits].flat(), options)
  if (outcome.ended !== 'applied') throw new Error(JSON.stringify(outcome))
  return outcome.text
}

function refusal(text: string, edits: Edit | readonly Edit[], options?: EditOptions) {
  const outcome = applyEdits(text, [edits].flat(), options)
  if (outcome.ended !== 'refused') throw new Error(`applied: ${JSON.stringify(outcome.text)}`)
  return outcome
}

const literal = (find: string, replace: string, more: Partial<LiteralEdit> = {}): Edit => ({
  kind: 'literal',
  find,
  replace,
  ...more,
})

function regex(pattern: RegExp, replace: string, more: Partial<RegexEdit> = {}): Edit {
  return { kind: 'regex', find: regexSearch(pattern), replace, tokens: 'sed', ...more }
}

describe('a literal', () => {
  it('replaces the only place and says where', () => {
    expect(applyEdits('one\ntwo\nthree\n', [literal('two\nth', '2\n2b\nTH')])).toEqual({
      ended: 'applied',
      text: 'one\n2\n2b\nTHree\n',
      edits: [
        {
          rule: 'exact',
          places: [
            {
              before: { start: 4, end: 10, line: 2, endLine: 3 },
              after: { start: 4, end: 11, line: 2, endLine: 4 },
              lineDelta: 1,
            },
          ],
        },
      ],
    })
  })

  it('takes nothing in it for special', () => {
    expect(edited('a.c abc $1\n', literal('a.c', '$& \\1 $$'))).toBe('$& \\1 $$ abc $1\n')
  })

  it('refuses several places and names their lines', () => {
    expect(refusal('x\ny\nx x\n', literal('x', 'z'))).toEqual({
      ended: 'refused',
      edit: 0,
      failure: { code: 'AMBIGUOUS_MATCH', rule: 'exact', count: 3, lines: [1, 3, 3] },
    })
  })

  it('replaces all, or the first few, without overlaps', () => {
    expect(edited('aaaa a', literal('aa', 'b', { count: 'all' }))).toBe('bb a')
    expect(edited('x x x x', literal('x', 'y', { count: { first: 2 } }))).toBe('y y x x')
    expect(edited('x', literal('x', 'y', { count: { first: 3 } }))).toBe('y')
  })

  it('replaces all in a file of mixed endings', () => {
    expect(edited('a\nb\na\r\nb\r\n', literal('a\nb', 'c\nd', { count: 'all' }))).toBe('c\nd\nc\r\nd\r\n')
  })

  it('never makes one ending of two', () => {
    expect(edited('a\rb\nc', literal('a\nb\n', 'a\n\n'))).toBe('a\r\rc')
    expect(edited('a\rab\nc', literal('b', '\n'), { endings: 'dominant' })).toBe('a\ra\n\nc')
    const byLine = { endings: 'dominant', endingsByLine: true } as const
    expect(edited('a\rab\nc', literal('b', '\n'), byLine)).toBe('a\ra\r\rc')
    expect(edited('a\rb\rc\n\n', literal('c', 'd'), byLine)).toBe('a\rb\rd\r\r')
    const bare = { counting: { breaks: 'bare-line-feed' } } as const
    expect(edited('a\r\nb', { kind: 'lines', first: 1, last: 1, lines: ['c\r'] }, bare)).toBe('c\r\nb')
  })

  it('distinguishes letter case by default', () => {
    expect(edited('TODO todo ToDo (x)', literal('todo', 'done', { count: 'all', caseInsensitive: true }))).toBe(
      'done done done (x)',
    )
    expect(edited('A.B a+b', literal('a.b', 'x', { caseInsensitive: true }))).toBe('x a+b')
    expect(refusal('TODO', literal('todo', 'x')).failure).toMatchObject({ explanation: { cause: 'letter-case' } })
  })

  it('takes case as regular expressions do, at any length', () => {
    const edit = (find: string) => literal(find, 'x', { caseInsensitive: true })
    expect(edited('straße İstanbul Ärger', edit('äRGER'))).toBe('straße İstanbul x')
    expect(refusal('STRASSE', edit('straße')).failure.code).toBe('NO_MATCH')
    expect(refusal('ı ſ', edit('I')).failure.code).toBe('NO_MATCH')
    expect(edited(`${'ab(c'.repeat(50_000)}!`, edit('aB(C'.repeat(50_000)))).toBe('x!')
    expect(refusal('abc', literal('Ab '.repeat(50_000), 'x')).failure).toMatchObject({ code: 'NO_MATCH' })
  })

  it('can be limited to some lines', () => {
    expect(edited('x\nx\nx\n', literal('x', 'y', { within: { first: 2, last: 2 } }))).toBe('x\ny\nx\n')
    expect(edited('x\nx\nx', literal('x', 'y', { within: { first: 2, last: 99 }, count: 'all' }))).toBe('x\ny\ny')
    expect(refusal('x\nx', literal('x', 'y', { within: { first: 3, last: 3 } })).failure).toEqual({
      code: 'LINE_OUT_OF_RANGE',
      line: 3,
      lineCount: 2,
    })
  })

  it('reports when it occurs only on other lines', () => {
    expect(refusal('x\ny', literal('x', 'z', { within: { first: 2, last: 2 } })).failure).toEqual({
      code: 'NO_MATCH',
      explanation: { cause: 'other-lines', suggestion: 'x', lines: [1] },
    })
  })

  it('of a regular expression reports it too', () => {
    const edit = {
      kind: 'regex',
      find: regexSearch(/x/g),
      replace: 'z',
      tokens: 'sed',
      within: { first: 2, last: 2 },
    } as const
    expect(refusal('x\ny\nx', edit).failure).toEqual({
      code: 'NO_MATCH',
      explanation: { cause: 'other-lines', lines: [1, 3] },
    })
  })

  it('is replaced in many places as fast as it can be', () => {
    const text = `${'x,'.repeat(20_000)}\r\n`
    const edit = literal('x', 'x\n', { count: 'all' })
    const { result, ms } = timed(5000, () => [edited(text, edit), edited(text, edit, { endings: 'dominant' })])
    expect(result).toEqual(Array(2).fill(`${'x\r\n,'.repeat(20_000)}\r\n`))
    expect(ms).toBeLessThan(5000)
  })

  it('can be limited to one line', () => {
    expect(refusal('a\nb', literal('a\nb', 'x', { perLine: true })).failure.code).toBe('NO_MATCH')
    expect(edited('ab\nab', literal('ab', 'x', { perLine: true, count: 'all' }))).toBe('x\nx')
  })

  it('may be allowed to find nothing', () => {
    expect(applyEdits('abc', [literal('z', 'y', { count: 'all', optional: true })])).toEqual({
      ended: 'applied',
      text: 'abc',
      edits: [{ places: [] }],
    })
  })

  it('refuses an empty search, text that is not well-formed, and a change that changes nothing', () => {
    expect(refusal('a', literal('', 'x')).failure).toEqual({ code: 'INVALID_EDIT', reason: 'empty-search' })
    expect(refusal('a', literal('a', '\udce9')).failure).toEqual({ code: 'INVALID_EDIT', reason: 'malformed-text' })
    expect(refusal('a\udce9', literal('\udce9', 'x')).failure).toEqual({
      code: 'INVALID_EDIT',
      reason: 'malformed-text',
    })
    expect(refusal('a', literal('z', 'z')).failure).toEqual({ code: 'NO_CHANGE' })
    expect(edited('a', literal('a', 'a'), { identical: 'allow' })).toBe('a')
  })
})

describe('several edits', () => {
  it('run in order, each on what the last one left', () => {
    expect(edited('a b c\n', [literal('a', 'X'), literal('X b', 'Y')])).toBe('Y c\n')
  })

  it('are applied all or not at all, and the one that fails is named', () => {
    expect(refusal('a\nb\n', [literal('a', 'X'), literal('zzz', 'Y')])).toMatchObject({
      edit: 1,
      failure: { code: 'NO_MATCH' },
    })
  })

  it('report when a later edit was written for the original text', () => {
    expect(refusal('alpha\nbeta\n', [literal('alpha', 'omega'), literal('alpha', 'gamma')])).toMatchObject({
      edit: 1,
      failure: { code: 'NO_MATCH', explanation: { cause: 'matches-earlier-version' } },
    })
  })
})

describe('line endings of new text', () => {
  const text = 'a\r\nb\nc\r\n'
  it('are those of the place by default, the most frequent when asked, or as sent', () => {
    expect(edited(text, literal('b', 'b\nx'))).toBe('a\r\nb\nx\nc\r\n')
    expect(edited(text, literal('b', 'b\nx'), { endings: 'dominant' })).toBe('a\r\nb\r\nx\nc\r\n')
    expect(edited('a\r\nb\r\n', literal('b', 'b\nx'), { endings: 'verbatim' })).toBe('a\r\nb\nx\r\n')
  })

  it('of equally frequent ones are the first', () => {
    expect(edited('a\nb\r\nc', literal('c', 'c\nd'), { endings: 'dominant' })).toBe('a\nb\r\nc\nd')
    expect(edited('c', literal('c', 'c\r\nd'), { endings: 'dominant' })).toBe('c\nd')
  })

  it('leave a CR alone where only line feeds end lines', () => {
    const options: EditOptions = { counting: { breaks: 'line-feed' } }
    expect(edited('10%\r20%\nend\n', { kind: 'insert', before: 2, lines: ['x', 'y'] }, options)).toBe(
      '10%\r20%\nx\ny\nend\n',
    )
    expect(edited('10%\r20%\nend\n', literal('20%', '30%\r40%\n'), options)).toBe('10%\r30%\r40%\n\nend\n')
  })
})

describe('a regular expression', () => {
  it.each([
    ['wraps the first line', 'alpha\nbeta\n', /^(.*)$/gm, '"\\1"', {}, '"alpha"\nbeta\n'],
    [
      'wraps every line and no phantom one',
      'alpha\n\nbeta\n',
      /^(.*)$/gm,
      '"$1"',
      { count: 'all' },
      '"alpha"\n""\n"beta"\n',
    ],
    ['wraps every line of a CRLF file', 'a\r\n\r\nb\r\n', /^(.*)$/gm, '<$&>', { count: 'all' }, '<a>\r\n<>\r\n<b>\r\n'],
    ['has sed and JavaScript references', 'v1_a\n', /v(\d)_(\w)/g, '\\2$1$0\\0$&$$', {}, 'a1v1_av1_av1_a$\n'],
    ['has escapes', 'a b\n', / /g, '\\n\\t\\\\\\q$x', {}, 'a\n\t\\\\q$xb\n'],
    ['leaves out a group that took no part', 'b\n', /(a)|b/g, '[\\1]', {}, '[]\n'],
    ['puts new lines in with the endings of the place', 'a b\r\nc\r\n', / /g, '\\n', {}, 'a\r\nb\r\nc\r\n'],
    ['sees line endings when it asks for them', 'a\r\nb\r\n', /\r\n/g, '\\n', { count: 'all' }, 'a\nb\n'],
    ['spans lines of a CRLF file', 'a\r\nb\r\nc\r\n', /a\nb/g, 'x', {}, 'x\r\nc\r\n'],
    [
      'can be limited to some lines',
      'x\nx\nx\n',
      /^/gm,
      '> ',
      { count: 'all', within: { first: 2, last: 2 } },
      'x\n> x\nx\n',
    ],
    ['replaces the first few', 'x1 x2 x3\n', /x\d/g, 'y', { count: { first: 2 } }, 'y y x3\n'],
    [
      'has JavaScript tokens',
      'k=v;\n',
      /(?<key>\w)=(\w)/g,
      "$2=$<key>$$$&$3$`$'",
      { tokens: 'ecmascript' },
      'v=k$k=v$3;\n;\n',
    ],
    [
      'works line by line',
      'ab\r\nab\r\n',
      /^a|b$/g,
      'X',
      { tokens: 'ecmascript', count: 'all', perLine: true },
      'XX\r\nXX\r\n',
    ],
    [
      'never crosses lines when that is asked for',
      'a\nb\n',
      /a\s*b|b/g,
      'X',
      { tokens: 'ecmascript', count: 'all', perLine: true },
      'a\nX\n',
    ],
  ] as const)('%s', (_, text, pattern, replace, more, result) => {
    expect(edited(text, regex(pattern, replace, more))).toBe(result)
  })

  it('refuses a reference to a group that is not there', () => {
    expect(refusal('alpha', regex(/(alpha)/g, '$2')).failure).toEqual({
      code: 'INVALID_EDIT',
      reason: 'missing-group',
      group: { reference: 2, count: 1 },
    })
    expect(refusal('alpha', regex(/.*/g, '\\1')).failure).toMatchObject({ group: { reference: 1, count: 0 } })
  })

  it('refuses to cut a character in half', () => {
    expect(refusal('😀', regex(/^./g, 'x')).failure).toEqual({ code: 'INVALID_EDIT', reason: 'splits-character' })
    expect(edited('😀', regex(/^./gu, 'x'))).toBe('x')
  })

  it('that finds nothing is a failure unless it may', () => {
    expect(refusal('a', regex(/z/g, 'x')).failure).toEqual({ code: 'NO_MATCH', explanation: { cause: 'absent' } })
    expect(edited('a', regex(/z/g, 'x', { optional: true }))).toBe('a')
  })

  it('may be asked for the only place', () => {
    expect(refusal('a\na', regex(/a/g, 'x', { count: 'only' })).failure).toMatchObject({
      code: 'AMBIGUOUS_MATCH',
      lines: [1, 2],
    })
  })
})

describe('an edit that would take all memory is refused', () => {
  const text = 'a'.repeat(1_000_000)
  const tooMany = { code: 'INVALID_EDIT', reason: 'too-many-places' }

  it('for its many places', () => {
    expect(refusal(text, literal('a', 'b', { count: 'all' })).failure).toEqual(tooMany)
    expect(refusal(text, literal('A', 'b', { count: 'all', caseInsensitive: true })).failure).toEqual(tooMany)
    expect(refusal(text, literal('a', 'b')).failure).toEqual(tooMany)
    expect(refusal(text, regex(/a/g, 'b', { count: 'all' })).failure).toEqual(tooMany)
    expect(edited(text.slice(0, 200_000), literal('a', 'b', { count: 'all' }))).toBe('b'.repeat(200_000))
  })

  it('for what it would leave', () => {
    const repeating = regex(/a/g, "$'", { count: 'all', tokens: 'ecmascript' })
    const tooLong = { code: 'INVALID_EDIT', reason: 'too-long-result' }
    expect(refusal(text.slice(0, 100_000), repeating).failure).toEqual(tooLong)
    const swelling = literal('a', 'b'.repeat(1_000), { count: 'all' })
    expect(refusal(text.slice(0, 100_000), swelling).failure).toEqual(tooLong)
  })
})

describe('lines', () => {
  const lines = (first: number, last: number, fresh: string[], more: Partial<LinesEdit> = {}): Edit => ({
    kind: 'lines',
    first,
    last,
    lines: fresh,
    ...more,
  })
  const expecting = (line: number, old: string[], fresh: string[], compare: 'exact' | 'trimmed' = 'exact') =>
    lines(line, line + old.length - 1, fresh, { expected: { lines: old, compare } })

  it('are replaced whole, and the last one keeps its ending', () => {
    expect(edited('1\r\n2\n3\r\n4', lines(2, 3, ['x']))).toBe('1\r\nx\r\n4')
    expect(edited('1\n2', lines(2, 2, ['x', 'y']))).toBe('1\nx\ny')
    expect(edited('1\n2\n3\n', lines(2, 2, ['']))).toBe('1\n\n3\n')
  })

  it('are removed with their endings; a missing final line ending stays missing', () => {
    expect(edited('1\n2\n3\n', lines(2, 3, []))).toBe('1\n')
    expect(edited('1\n2\n3', lines(2, 3, []))).toBe('1')
    expect(edited('1', lines(1, 1, []))).toBe('')
  })

  it('must be what is expected there', () => {
    expect(edited('a\n\t b \nc', expecting(2, ['b'], ['  x'], 'trimmed'))).toBe('a\n  x\nc')
    expect(refusal('a\nb\n', expecting(1, ['b'], ['x'])).failure).toEqual({
      code: 'NO_MATCH',
      explanation: {
        cause: 'other-lines',
        nearest: { line: 1, endLine: 1, text: 'a', similarity: 0 },
        lines: [2],
      },
    })
    expect(refusal('a\nb', expecting(2, ['b', 'c'], [])).failure).toEqual({
      code: 'LINE_OUT_OF_RANGE',
      line: 3,
      lineCount: 2,
    })
  })

  it('can be numbered as in the original, in any order', () => {
    const edits = [expecting(5, ['5'], ['five']), expecting(1, ['1'], ['1a', '1b', '1c']), expecting(3, ['3'], [''])]
    expect(edited('1\n2\n3\n4\n5', edits, { lineNumbers: 'original' })).toBe('1a\n1b\n1c\n2\n\n4\nfive')
    expect(
      edited('1\n2\n3', [lines(3, 3, []), lines(2, 2, ['x', 'y']), { kind: 'insert', before: 1, lines: ['0'] }], {
        lineNumbers: 'original',
      }),
    ).toBe('0\n1\nx\ny')
    expect(
      edited('1\n2\n', [{ kind: 'insert', before: 2, lines: ['a', 'b'] }, lines(2, 2, ['two'])], {
        lineNumbers: 'original',
      }),
    ).toBe('1\na\nb\ntwo\n')
  })

  it('to search in may have been edited before', () => {
    const original = { lineNumbers: 'original' } as const
    const within = { first: 2, last: 3 }
    const edits = [literal('b', 'B\nB2', { within }), literal('c', 'C', { within }), literal('B2', 'x', { within })]
    expect(edited('a\nb\nc\nd\nc\n', edits, original)).toBe('a\nB\nx\nC\nd\nc\n')
    expect(edited('a\nb\nc\n', [lines(2, 3, ['c', 'q']), literal('c', 'C', { within })], original)).toBe('a\nC\nq\n')
    expect(edited('c\nc\n', [literal('c', '', { within: { first: 1, last: 1 } }), literal('c', 'C')], original)).toBe(
      '\nC\n',
    )
  })

  it('count from the end when they are negative, of the text the other numbers are of', () => {
    expect(edited('1\n2\n3\n', lines(-2, -1, ['x']))).toBe('1\nx\n')
    expect(edited('x\nx\nx\n', literal('x', 'y', { within: { first: -1, last: -1 } }))).toBe('x\nx\ny\n')
    const appended = { kind: 'insert', before: 'end', lines: ['4'] } as const
    expect(edited('1\n2\n3\n', [appended, lines(-1, -1, ['x'])], { lineNumbers: 'original' })).toBe('1\n2\nx\n4\n')
    expect(edited('1\n2\n3\n', [appended, lines(-1, -1, ['x'])])).toBe('1\n2\n3\nx\n')
    expect(refusal('1\n2\n', lines(-3, -1, ['x'])).failure).toEqual({
      code: 'LINE_OUT_OF_RANGE',
      line: -3,
      lineCount: 2,
    })
  })

  it('numbered as in the original must be unchanged, with nothing inserted between them', () => {
    const between = { kind: 'insert', before: 2, lines: ['new'] } as const
    expect(refusal('1\n2\n3', [between, lines(1, 2, ['x'])], { lineNumbers: 'original' })).toMatchObject({
      edit: 1,
      failure: { code: 'INVALID_EDIT', reason: 'overlaps-earlier-edit' },
    })
    expect(edited('1\n2\n3', [between, lines(2, 3, ['x'])], { lineNumbers: 'original' })).toBe('1\nnew\nx')
    const after = { kind: 'insert', before: 3, lines: ['new'] } as const
    expect(edited('1\n2', [lines(1, 2, []), after], { lineNumbers: 'original' })).toBe('new')
  })

  it('use the line endings of the file if earlier edits left none', () => {
    expect(edited('a\r\nb', [lines(2, 2, []), { kind: 'insert', before: 'end', lines: ['c', 'd'] }])).toBe(
      'a\r\nc\r\nd',
    )
    expect(edited('a\r\nb', [literal('a\nb', 'x'), literal('x', 'x\ny')])).toBe('x\r\ny')
    expect(edited('', { kind: 'insert', before: 'end', lines: [''] })).toBe('\n')
  })

  it('are removed without the empty line before them', () => {
    expect(edited('\nb', lines(2, 2, []))).toBe('\n')
    expect(edited('a\n\nb', lines(3, 3, []))).toBe('a\n\n')
    expect(edited('a\nb', lines(2, 2, []))).toBe('a')
  })

  it('numbered as in the original must not have been edited before, nor when they were empty', () => {
    expect(refusal('a\n\nb', [lines(2, 2, ['x', '']), lines(2, 2, ['y'])], { lineNumbers: 'original' })).toEqual({
      ended: 'refused',
      edit: 1,
      failure: { code: 'INVALID_EDIT', reason: 'overlaps-earlier-edit' },
    })
  })

  it('numbered as in the original must not have been edited before', () => {
    expect(refusal('1\n2\n3', [lines(1, 2, ['x']), lines(2, 3, ['y'])], { lineNumbers: 'original' })).toEqual({
      ended: 'refused',
      edit: 1,
      failure: { code: 'INVALID_EDIT', reason: 'overlaps-earlier-edit' },
    })
  })

  it('have no line breaks in them', () => {
    expect(refusal('1', lines(1, 1, ['a\nb'])).failure).toEqual({ code: 'INVALID_EDIT', reason: 'line-break-in-line' })
  })
})

describe('inserted lines', () => {
  const insert = (before: number, ...fresh: string[]): Edit => ({ kind: 'insert', before, lines: fresh })
  it.each([
    ['before the first', 'a\nb\n', insert(1, 'X'), 'X\na\nb\n'],
    ['before a line', 'a\r\nb\r\n', insert(2, 'X', 'Y'), 'a\r\nX\r\nY\r\nb\r\n'],
    ['at the end', 'a\nb\n', insert(3, 'X'), 'a\nb\nX\n'],
    ['at the end without a final line ending', 'a\r\nb', insert(3, 'X'), 'a\r\nb\r\nX'],
    ['into an empty text', '', insert(1, 'X', 'Y'), 'X\nY'],
    ['with the ending of the line before', 'a\nb\r\nc\n', insert(3, 'X'), 'a\nb\r\nX\r\nc\n'],
    ['as an empty line', 'a\nb\n', insert(2, ''), 'a\n\nb\n'],
  ])('%s', (_, text, edit, result) => {
    expect(edited(text, edit)).toBe(result)
  })

  it('no further than one past the last line', () => {
    expect(refusal('a\n', insert(3, 'X')).failure).toEqual({ code: 'LINE_OUT_OF_RANGE', line: 3, lineCount: 1 })
    expect(refusal('a\n', insert(0, 'X')).failure).toEqual({ code: 'LINE_OUT_OF_RANGE', line: 0, lineCount: 1 })
  })

  it('where a final line ending counts as one more line', () => {
    const options: EditOptions = { counting: { breaks: 'line-feed', finalEmptyLine: true } }
    expect(edited('a\n', insert(2, 'X'), options)).toBe('a\nX\n')
    expect(edited('a\n', insert(3, 'X'), options)).toBe('a\n\nX')
    expect(
      edited(
        'a\nb\n',
        { kind: 'lines', first: 2, last: 3, lines: ['x'], expected: { lines: ['b', ''], compare: 'exact' } },
        options,
      ),
    ).toBe('a\nx')
  })
})

describe('bytes outside the edited spans', () => {
  const word = fc.constantFrom('alpha', 'beta', 'é', '😀', '', '  x', '\tx', 'x  y', '“q”')
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  const encoding = fc.constantFrom('utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'latin1')
  const content = fc.array(fc.tuple(word, ending), { minLength: 1, maxLength: 8 })
  const replacement = fc
    .array(fc.constantFrom('new', 'ü', '\n', '\r\n', '\t', ' '), { maxLength: 5 })
    .map((parts) => parts.join(''))
  const sent = fc.record({
    kind: fc.constantFrom('literal', 'regex', 'lines', 'insert'),
    from: fc.nat(),
    size: fc.integer({ min: 1, max: 12 }),
    loose: fc.boolean(),
    replacement,
  })

  it('are the same after any edits', () => {
    let applied = 0
    fc.assert(
      fc.property(
        content,
        fc.boolean(),
        encoding,
        fc.array(sent, { minLength: 1, maxLength: 3 }),
        (parts, terminated, name, edits) => {
          const whole = parts.map(([line, end]) => line + end).join('')
          const text = terminated ? whole : whole.replace(/[\r\n]+$/, '')
          const bytes = encodedAs(text, name)
          const document = openText(bytes)
          let before = document
          for (const one of edits) {
            const outcome = applyEdits(before.text, [asEdit(before.text, one)], { rules: matchRules })
            if (outcome.ended === 'refused') continue
            const after = { ...before, text: outcome.text }
            expectSameOutside(before, after, outcome.edits[0]!.places)
            before = after
            applied += 1
          }
        },
      ),
      { numRuns: scaled(1500) },
    )
    expect(applied).toBeGreaterThan(scaled(1000))
  })

  function encodedAs(text: string, name: string): Uint8Array {
    if (name === 'latin1') return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
    if (name === 'utf-8') return encodeText({ text, encoding: 'utf-8', bom: false })
    return encodeText({ text, encoding: name === 'utf-8-bom' ? 'utf-8' : (name as 'utf-16le'), bom: true })
  }

  function asEdit(
    text: string,
    {
      kind,
      from,
      size,
      loose,
      replacement,
    }: { kind: string; from: number; size: number; loose: boolean; replacement: string },
  ): Edit {
    const start = from % (text.length + 1)
    const part = text.slice(start, start + size)
    const lineCount = Math.max(1, text.split(/\r\n|\n|\r/).length - 1)
    const first = (from % lineCount) + 1
    const fresh = replacement.split(/\r\n|\n|\r/)
    if (kind === 'lines') return { kind, first, last: Math.min(lineCount, first + (size % 3)), lines: fresh }
    if (kind === 'insert') return { kind, before: first, lines: fresh }
    if (kind === 'regex')
      return {
        kind,
        find: regexSearch(/\w+|^$/gm),
        replace: replacement,
        tokens: 'sed',
        count: loose ? 'all' : { first: 1 },
      }
    return { kind: 'literal', find: loose ? ` ${part.replace(/\r\n?/g, '\n')}` : part, replace: replacement }
  }

  function expectSameOutside(
    before: ReturnType<typeof openText>,
    after: ReturnType<typeof openText>,
    places: readonly { before: { start: number; end: number }; after: { start: number; end: number } }[],
  ) {
    const bytes = (text: string) => [...encodeText({ text, encoding: before.encoding, bom: false })]
    const expected = [...encodeText({ text: '', encoding: before.encoding, bom: before.bom })]
    let at = 0
    for (const place of places) {
      expected.push(...bytes(before.text.slice(at, place.before.start)))
      expected.push(...bytes(after.text.slice(place.after.start, place.after.end)))
      at = place.before.end
    }
    expected.push(...bytes(before.text.slice(at)))
    if (before.trailingByte !== undefined) expected.push(before.trailingByte)
    expect([...encodeText(after)]).toEqual(expected)
  }
})
