import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { compile, findNatively } from '../../../src/search/patterns/regex/compile.js'
import { costOf } from '../../../src/search/patterns/regex/cost.js'
import { createEngine } from '../../../src/search/patterns/regex/engine.js'
import { type ParseOptions, parse } from '../../../src/search/patterns/regex/parse.js'
import { plainFinder, plainStart } from '../../../src/search/patterns/regex/plain-text.js'
import { print } from '../../../src/search/patterns/regex/print.js'
import { assemble } from '../../../src/search/patterns/regex/program.js'
import { requiredLiterals } from '../../../src/search/patterns/regex/required-literals.js'
import { closeOverCase } from '../../../src/search/patterns/regex/unicode.js'
import { scaled } from '../../scale.js'

const ecmascript: ParseOptions = {
  syntax: 'ecmascript',
  ignoreCase: false,
  dotAll: false,
  maxLength: 1_000,
  maxNesting: 50,
}
const rust: ParseOptions = { ...ecmascript, syntax: 'rust' }

/** The first match in a line, or why there can be none. */
function first(pattern: string, text: string, options: ParseOptions): string | undefined {
  try {
    const found = compile(parse(pattern, options), { multiline: false, source: pattern }).find(text, 0)
    return typeof found === 'object' ? text.slice(found.start, found.end) : found
  } catch (error) {
    if (!isFsError(error, 'INVALID_PATTERN')) throw error
    return `invalid: ${error.facts.reason}`
  }
}

describe('Rust syntax', () => {
  const cases: [pattern: string, text: string, found: string | undefined][] = [
    ['foo', 'a foo', 'foo'],
    ['(?i)foo', 'a FoO', 'FoO'],
    ['(?i:f)oo', 'Foo', 'Foo'],
    ['(?i:f)oo', 'FOO', undefined],
    ['a(?i)b|c', 'aB', 'aB'],
    ['a(?i)b|c', 'C', 'C'],
    ['(a(?i)b)c', 'aBC', undefined],
    ['(?i)a(?-i)b', 'Ab', 'Ab'],
    ['(?i)a(?-i)b', 'AB', undefined],
    ['(?i-s:A.b)', 'axB', 'axB'],
    ['(?s).', '\t', '\t'],
    ['(?m)^b', 'b', 'b'],
    ['(?U)a+', 'aaa', 'a'],
    ['(?U)a+?', 'aaa', 'aaa'],
    ['(?x) f o # comment', 'fo', 'fo'],
    ['(?x)[ a b ]+', 'ba ', 'ba'],
    ['\\Afoo\\z', 'foo', 'foo'],
    ['\\Afoo\\z', 'foo ', undefined],
    ['(?P<name>a)b', 'ab', 'ab'],
    ['(?<name>a)b', 'ab', 'ab'],
    ['[[:alpha:]]+', '12ab3', 'ab'],
    ['[[:^alpha:]]+', 'ab12', '12'],
    ['[[:punct:][:digit:]]+', 'a!1b', '!1'],
    ['[[:word:]]+', '-a_1', 'a_1'],
    ['[a-c[x-z]]+', 'dxbe', 'xb'],
    ['[a-z&&[^aeiou]]+', 'aabcde', 'bcd'],
    ['[a-z--[aeiou]]+', 'aabcde', 'bcd'],
    ['[a-c~~b-d]+', 'bad', 'ad'],
    ['[]a]+', 'x]a', ']a'],
    ['[^]a]+', ']x]', 'x'],
    ['[a-]+', 'b-a', '-a'],
    ['[-a]+', 'b-a', '-a'],
    ['\\pL+', '1é2', 'é'],
    ['\\PL+', 'a12', '12'],
    ['\\p{Greek}+', 'abγδ', 'γδ'],
    ['\\p{greek}+', 'abγδ', 'γδ'],
    ['\\p{Script=Greek}+', 'abγδ', 'γδ'],
    ['\\p{Lu}', 'aÉ', 'É'],
    ['(?i)\\p{Lu}', 'é', 'é'],
    ['\\P{L}', 'a1', '1'],
    ['\\x41', 'A', 'A'],
    ['\\x{1F600}', '😀', '😀'],
    ['\\u0041\\u{42}\\U00000043', 'ABC', 'ABC'],
    ['\\a|\\f|\\v', 'x\v', '\v'],
    ['\\w+', '-naïve_1-', 'naïve_1'],
    ['(?-u:\\w)+', '-naïve', 'na'],
    ['\\d+', 'x٣4', '٣4'],
    ['(?-u:\\d+)', '٣4', '4'],
    ['\\s', 'a\u2003b', '\u2003'],
    ['\\bé', 'é', 'é'],
    ['\\b{start}\\w+', '-ab', 'ab'],
    ['\\<ab\\>', 'xab ab', 'ab'],
    ['.', '\r', '\r'],
    ['a{2}', 'aaa', 'aa'],
    ['a{2,}?', 'aaa', 'aa'],
    ['a{1,2}{2}', 'aaaaa', 'aaaa'],
    ['a**', 'aa', 'aa'],
    ['samwise|sam', 'samwise', 'samwise'],
    ['sam|samwise', 'samwise', 'sam'],
    ['}]', '}]', '}]'],
    ['\\/\\-\\"\\&\\~\\#\\ ', '/-"&~# ', '/-"&~# '],
    ['(?i)ſ', 'S', 'S'],
    ['(?=a)', '', 'invalid: look-around is not supported'],
    ['(?<!a)b', '', 'invalid: look-around is not supported'],
    ['(a)\\1', '', 'invalid: back-references are not supported'],
    ['(?<n>a)\\k<n>', '', 'invalid: back-references are not supported'],
    ['a{', '', 'invalid: a repetition needs numbers'],
    ['a(', '', 'invalid: a group without its closing parenthesis'],
    ['a)', '', 'invalid: a closing parenthesis without its opening one'],
    ['[a', '', 'invalid: a class without its closing bracket'],
    ['[z-a]', '', 'invalid: a range out of order in a class'],
    ['[[:nope:]]', '', 'invalid: the class [:nope:] is not known'],
    ['\\p{Nope}', '', 'invalid: not a Unicode property: Nope'],
    ['\\y', '', 'invalid: the escape \\y is not known'],
    ['\\Z', '', 'invalid: the escape \\Z is not known'],
    ['a{3,2}', '', 'invalid: numbers out of order in a repetition'],
    ['*a', '', 'invalid: nothing to repeat'],
    ['(?y)a', '', 'invalid: the flag y is not supported'],
    ['\\', '', 'invalid: a backslash at the end'],
  ]
  it.each(cases)('%s in %j finds %j', (pattern, text, found) => {
    expect(first(pattern, text, rust)).toBe(found)
  })
})

describe('ECMAScript syntax', () => {
  const cases: [pattern: string, text: string, found: string | undefined][] = [
    ['(?<=a)b(?!c)', 'abc ab', 'b'],
    ['(a)(b)\\2\\1', 'abba', 'abba'],
    ['(?<q>["\']).*?\\k<q>', `x "it's" y`, `"it's"`],
    ['\\k<q>', 'k<q>', 'k<q>'],
    ['a{', 'a{', 'a{'],
    ['a{,2}', 'a{,2}', 'a{,2}'],
    ['x{1}]}', 'x]}', 'x]}'],
    ['[^]', '\t', '\t'],
    ['[]', 'a', undefined],
    ['[\\w-.]+', '!a-.!', 'a-.'],
    ['[\\b]', '\b', '\b'],
    ['\\cJ|\\x41|\\u0042', 'xB', 'B'],
    ['\\ud83d\\ude00', '😀', '😀'],
    ['^.$', '😀', '😀'],
    ['\\u{1f600}', '😀', '😀'],
    ['\\p{Lu}', 'aÉ', 'É'],
    ['\\101\\8', 'A8', 'A8'],
    ['\\-\\_\\é', '-_é', '-_é'],
    ['(?i:a)b', 'Ab', 'Ab'],
    ['\\w+', 'naïve', 'na'],
    ['\\bé', 'é', undefined],
    ['^$', '😀', undefined],
    ['a.c', 'a\rc', undefined],
    ['(?:a|ab)(?:c|bcd)(d*)', 'abcd', 'abcd'],
    ['(?:|a)*', 'aaa', 'aaa'],
    ['(?:a?c??)*', 'ac', 'ac'],
    ['(z)((a+)?(b+)?(c))*', 'zaacbbbcac', 'zaacbbbcac'],
    ['(?i)a', '', 'invalid: flags without a group are not supported'],
    ['a**', '', 'invalid: nothing to repeat'],
    ['(?<n', '', 'invalid: a group that starts with (? and goes on with nothing known'],
    ['a(', '', 'invalid: a group without its closing parenthesis'],
    ['([unterminated', '', 'invalid: a class without its closing bracket'],
    [`${'('.repeat(51)}a${')'.repeat(51)}`, '', 'invalid: groups nested deeper than 50'],
    ['x'.repeat(1_001), '', 'invalid: longer than 1000 characters'],
    ['\ud83d', '', 'invalid: half a surrogate pair'],
  ]
  it.each(cases)('%s in %j finds %j', (pattern, text, found) => {
    expect(first(pattern, text, ecmascript)).toBe(found)
  })
})

describe('letter case', () => {
  it('is folded as the platform folds it, for every character there is', () => {
    const cased = Array.from({ length: 0x1f000 }, (_, code) => code).filter((code) => {
      return /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(String.fromCodePoint(code))
    })
    const all = String.fromCodePoint(...cased)
    const folded = (code: number) => {
      const set = closeOverCase([code, code])
      return cased.filter((other) => set.some((low, i) => i % 2 === 0 && low <= other && other <= set[i + 1]!))
    }
    const sample = cased.filter(
      (code, i) => i % 7 === 0 || code < 0x250 || /[θωΐΰſﬅ]/iu.test(String.fromCodePoint(code)),
    )
    for (const code of sample) {
      const expected = all.match(new RegExp(`\\u{${code.toString(16)}}`, 'giu'))!.map((each) => each.codePointAt(0))
      expect([code, folded(code)]).toEqual([code, expected])
    }
  })
})

/** Patterns of every kind of part, in small words so that they match now and then. */
function patterns(...more: string[]): fc.Arbitrary<string> {
  const atoms = ['a', 'b', 'c', '\\w', '.', '[ab]', '[^a]', '\\b', '\\B', '^', '$', '\\s', '😀', 'é', ...more]
  const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}']
  return fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...atoms),
      fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
      fc.tuple(tie('node'), tie('node')).map((parts) => `(?:${parts.join('|')})`),
      tie('node').map((body) => `(?:${body}|)`),
      tie('node').map((body) => `(?:|${body})`),
      fc.tuple(tie('node'), fc.constantFrom(...quantifiers)).map(([body, times]) => `(?:${body})${times}`),
      tie('node').map((body) => `(${body})`),
      fc.tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('node')).map(([kind, body]) => `(${kind}${body})`),
    ),
  })).node
}

function texts(...words: string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '😀', 'é', 'aa', 'ab', ...words), { maxLength: 9 })
    .map((parts) => parts.join(''))
}

describe('the bounded engine', () => {
  it('finds what the platform finds, look-around and back-references included', () => {
    fc.assert(
      fc.property(patterns('\\1', '\\2'), texts(), (pattern, text) => {
        const { root, groups } = parse(pattern, ecmascript)
        const program = assemble(root, groups, 10_000)!
        const expected = findNatively(new RegExp(print(root), 'gu'), text, 0)
        expect(createEngine(program).find(text, 0, 1_000_000)).toEqual(expected)
        const start = plainStart(root)
        if (start !== undefined) expect(createEngine(program, { start }).find(text, 0, 1_000_000)).toEqual(expected)
      }),
      { numRuns: scaled(4_000) },
    )
  })

  it('finds what starts with a text in a long text as the platform does', () => {
    const text = 'function a(\n) 😀 function b() {} function '.repeat(300)
    for (const pattern of ['function \\w+\\([^)]*\\n[^)]*\\)', '😀 f', 'function b', 'function $']) {
      const { root, groups } = parse(pattern, rust)
      const engine = createEngine(assemble(root, groups, 10_000)!, { start: plainStart(root)! })
      for (const from of [0, 1, 11, 5000, text.length - 10]) {
        const expected = findNatively(new RegExp(print(root), 'gu'), text, from)
        expect(engine.find(text, from, 1_000_000)).toEqual(expected)
      }
    }
  })

  it('runs the same pattern the platform was given', () => {
    fc.assert(
      fc.property(patterns(), texts(), (pattern, text) => {
        const { root } = parse(pattern, ecmascript)
        const expected = findNatively(new RegExp(pattern, 'gu'), text, 0)
        expect(findNatively(new RegExp(print(root), 'gu'), text, 0)).toEqual(expected)
      }),
      { numRuns: scaled(3_000) },
    )
  })

  it('ignores letter case in references', () => {
    expect(first('(a𐐀)\\1', 'a𐐀A𐐨', { ...ecmascript, ignoreCase: true })).toBe('a𐐀A𐐨')
  })

  it('reports when it is out of fuel, or was stopped', () => {
    const { root, groups } = parse('(a+)+\\1b', ecmascript)
    const engine = createEngine(assemble(root, groups, 1_000)!)
    expect(engine.find('a'.repeat(40), 0, 10_000)).toBe('out-of-fuel')
    expect(engine.find('a'.repeat(40), 0, 1_000_000, () => true)).toBe('stopped')
  })
})

describe('a text between word edges', () => {
  const edges = fc.constantFrom('', '\\b', '\\B')
  const words = fc
    .array(fc.constantFrom('a', 'b', '_', '-', 'é', '😀', '𝒜', 'aa', '(?:ab)'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))

  it('is found as the platform finds it', () => {
    fc.assert(
      fc.property(
        edges,
        words,
        edges,
        texts('_', '-', '𝒜', '\u0301', 'ba'),
        fc.nat(9),
        (left, word, right, text, from) => {
          for (const options of [rust, ecmascript]) {
            const { root } = parse(left + word + right, options)
            const plain = plainFinder(root)!
            // Searches never begin inside a surrogate pair.
            const start = from + (/^[\udc00-\udfff]/.test(text.slice(from)) ? 1 : 0)
            expect(plain.find(text, start)).toEqual(findNatively(new RegExp(print(root), 'gu'), text, start))
          }
        },
      ),
      { numRuns: scaled(4_000) },
    )
  })

  it.each(['a*', 'a|b', '[ab]', '^a', 'a$', '\\ba\\b\\b', '\\b', '', '(?i)a', 'a\\bb', '\\ud83d'])(
    'is not %s',
    (pattern) => {
      expect(plainFinder(parse(pattern, pattern.startsWith('(?i)') ? rust : ecmascript).root)).toBe(undefined)
    },
  )

  it('is left to the engines where it would take too long', () => {
    const word = 'a'.repeat(900)
    const regex = compile(parse(`\\b${word}\\b`, rust), { multiline: false, source: word })
    expect(regex.find('a'.repeat(1_000_000), 0)).toBe(undefined)
    expect(regex.find(`${'a'.repeat(200_000)} ${word}`, 0)).toEqual({ start: 200_001, end: 200_901 })
  })
})

describe('the cost', () => {
  it('is never less than what backtracking takes, but for a small factor', () => {
    fc.assert(
      fc.property(patterns('\\1', 'ab', 'abc'), texts('aaaaaaaaaa', 'abab', '!'), (pattern, text) => {
        const { root, groups } = parse(pattern, ecmascript)
        const engine = createEngine(assemble(root, groups, 10_000)!, { memoize: false })
        engine.find(text, 0, 200_000)
        expect(engine.steps).toBeLessThanOrEqual(4 * costOf(root)(text.length))
      }),
      { numRuns: scaled(6_000) },
    )
  })

  it.each([
    ['TODO|FIXME', 1],
    ['[0-9a-f]{8}-[0-9a-f]{4}', 1],
    ['[A-Z][a-z ]+;', 1],
    ['\\w+\\s+=', 2],
    ['"[^"]*"', 2],
    ['^\\s*(?:export\\s+)?function\\s+(\\w+)\\(', 1],
    ['^(?:\\w+,)*\\w+$', 2],
    ['.*foo.*', 2],
    ['a.*b.*c', 3],
    ['(?=.*a).*b', 2],
    ['(a+)+$', Infinity],
    ['(\\w+\\s?)*$', Infinity],
    ['(a|a)*$', Infinity],
  ])('of %s grows with power %d of the line', (pattern, power) => {
    const cost = costOf(parse(pattern, ecmascript).root)
    const growth = cost(2_000_000) / cost(1_000_000)
    expect(Number.isFinite(growth) ? Math.round(Math.log2(growth)) : Infinity).toBe(power)
  })
})

describe('required literals', () => {
  const needles = (pattern: string, options = ecmascript) => {
    return requiredLiterals(parse(pattern, options).root)?.needles.map(({ text, folded }) =>
      folded ? `${text}/i` : text,
    )
  }

  it.each([
    ['foo', ['foo']],
    ['[A-Z][a-z]+Error\\(\\w+\\)', ['Error(']],
    ['foo|bar', ['foo', 'bar']],
    ['(?:get|set)Value', ['getValue', 'setValue']],
    ['\\bfoo\\b', ['foo']],
    ['colou?r', ['colour', 'color']],
    ['(?:abc)+', ['abc']],
    ['(?:ab){2}', ['abab']],
    ['(?:foo|\\d+)', undefined],
    ['\\w+', undefined],
    ['a', ['a']],
    ['a\\d', undefined],
    ['[]', []],
    ['(?=foo)bar', ['bar']],
    ['x*', undefined],
    ['(?i:foo)bar', ['foobar/i']],
    ['été', ['été']],
  ])('of %s are %j', (pattern, expected) => {
    expect(needles(pattern)).toEqual(expected)
  })

  it('are in every text that matches', () => {
    fc.assert(
      fc.property(
        patterns('A', 'k', 'S', 'xyz', 'ba'),
        texts('A', 'É', 'K', 'ſ', 'xyz', 'XY', 'Z'),
        fc.boolean(),
        (pattern, text, ignoreCase) => {
          const { root, groups } = parse(pattern, { ...ecmascript, ignoreCase })
          const literals = requiredLiterals(root)
          if (literals === undefined || createEngine(assemble(root, groups, 10_000)!).find(text, 0, 1e6) === undefined)
            return
          const small = text.toLowerCase().replaceAll('ſ', 's')
          expect(literals.needles.some(({ text: needle, folded }) => (folded ? small : text).includes(needle))).toBe(
            true,
          )
        },
      ),
      { numRuns: scaled(10_000) },
    )
  })
})
