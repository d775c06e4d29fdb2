import { describe, expect, it } from 'vitest'
import { explainNoMatch } from '../../../src/text/edit/explain-no-match.js'
import { mostSimilar } from '../../../src/text/edit/similar.js'
import { timed } from '../processor-time.js'

const file = `import { a } from 'a'

function greet(name) {
\tif (name) {
\t\tconsole.log("hello " + name)
\t}
\treturn name
}
`

describe('why a text was not found', () => {
  it.each([
    {
      name: 'spaces for tabs',
      find: '    if (name) {\n        console.log("hello " + name)\n    }',
      expected: {
        cause: 'tabs-and-spaces',
        suggestion: '\tif (name) {\n\t\tconsole.log("hello " + name)\n\t}',
        lines: [4],
      },
    },
    {
      name: 'blanks within a line',
      find: 'function greet( name ) {',
      expected: { cause: 'whitespace', suggestion: 'function greet(name) {', lines: [3] },
    },
    {
      name: 'lines broken elsewhere',
      find: 'function greet(\n  name\n) {\n\tif (name) {',
      expected: { cause: 'whitespace', suggestion: 'function greet(name) {\n\tif (name) {', lines: [3] },
    },
    {
      name: 'a byte-order mark',
      find: "\ufeffimport { a } from 'a'",
      expected: { cause: 'byte-order-mark', suggestion: "import { a } from 'a'", lines: [1] },
    },
    {
      name: 'escapes for characters',
      find: '\\treturn name\\n}',
      expected: { cause: 'escaped-text', suggestion: '\treturn name\n}', lines: [7] },
    },
    {
      name: 'escaped quotes',
      find: 'console.log(\\"hello \\" + name)',
      expected: { cause: 'escaped-text', suggestion: 'console.log("hello " + name)', lines: [5] },
    },
    {
      name: 'entities',
      find: 'console.log(&quot;hello &quot; + name)',
      expected: { cause: 'escaped-text', suggestion: 'console.log("hello " + name)', lines: [5] },
    },
    {
      name: 'numbers of clarvis',
      find: '     7\t\treturn name\n     8\t}',
      expected: { cause: 'line-number-prefixes', suggestion: '\treturn name\n}', lines: [7] },
    },
    {
      name: 'numbers of file-editor',
      find: '7 | \treturn name\n8 | }',
      expected: { cause: 'line-number-prefixes', suggestion: '\treturn name\n}', lines: [7] },
    },
    {
      name: 'numbers of a search',
      find: '7:\treturn name\n8-}',
      expected: { cause: 'line-number-prefixes', suggestion: '\treturn name\n}', lines: [7] },
    },
    {
      name: 'numbers of a search with a blank',
      find: '3: function greet(name) {',
      expected: { cause: 'line-number-prefixes', suggestion: 'function greet(name) {', lines: [3] },
    },
    {
      name: 'numbers with an arrow',
      find: '     7→\treturn name',
      expected: { cause: 'line-number-prefixes', suggestion: '\treturn name', lines: [7] },
    },
    {
      name: 'numbers and wrong text',
      find: '4\tif (nome) {\n5\tconsole.log("hi " + nome)',
      expected: {
        cause: 'line-number-prefixes',
        nearest: { line: 4, endLine: 5, text: '\tif (name) {\n\t\tconsole.log("hello " + name)', similarity: 0.842 },
        suggestion: '\tif (name) {\n\t\tconsole.log("hello " + name)',
      },
    },
    {
      name: 'numbers on all lines but the first, which was begun in the middle',
      find: 'name\n8\t}',
      expected: { cause: 'line-number-prefixes', suggestion: 'name\n}', lines: [7] },
    },
    {
      name: 'numbers of empty lines without what follows them',
      find: "1\timport { a } from 'a'\n2\n3\tfunction greet(name) {",
      expected: {
        cause: 'line-number-prefixes',
        suggestion: "import { a } from 'a'\n\nfunction greet(name) {",
        lines: [1],
      },
    },
    {
      name: 'a pattern for text',
      find: 'function greet\\(name\\) \\{',
      expected: { cause: 'escaped-text', suggestion: 'function greet(name) {', lines: [3] },
    },
    {
      name: 'look-alikes',
      find: 'console.log(“hello ” + name)',
      expected: { cause: 'look-alike-characters', suggestion: 'console.log("hello " + name)', lines: [5] },
    },
    {
      name: 'letter case',
      find: 'Console.Log',
      expected: { cause: 'letter-case', suggestion: 'console.log', lines: [5] },
    },
    {
      name: 'every place but for the cause',
      find: 'NAME',
      expected: { cause: 'letter-case', suggestion: 'name', lines: [3, 4, 5, 7] },
    },
    {
      name: 'made already, nothing near',
      find: 'goodbye()',
      replace: '\treturn name\n',
      expected: { cause: 'already-applied', lines: [7] },
    },
    {
      name: 'made already, when it only changed white space',
      find: 'function  greet(name) {',
      replace: 'function greet(name) {',
      expected: { cause: 'already-applied', lines: [3] },
    },
    {
      name: 'made already, when it only changed letter case',
      find: 'function Greet(',
      replace: 'function greet(',
      expected: { cause: 'already-applied', lines: [3] },
    },
    {
      name: 'not made yet, though the new text stands elsewhere',
      find: 'console.log("hullo " + name)',
      replace: 'return name',
      expected: {
        cause: 'similar-text',
        nearest: { line: 5, endLine: 5, text: '\t\tconsole.log("hello " + name)', similarity: 0.964 },
        suggestion: 'console.log("hello " + name)',
      },
    },
    {
      name: 'made already, though something similar is left',
      find: '\treturn nome',
      replace: '\treturn name',
      expected: { cause: 'already-applied', lines: [7] },
    },
    {
      name: 'a mistyped part of a line, which is shown and not suggested',
      find: '"hullo " + nam',
      expected: {
        cause: 'similar-text',
        nearest: { line: 5, endLine: 5, text: '\t\tconsole.log("hello " + name)', similarity: 0.929 },
      },
    },
    {
      name: 'mistyped lines from the middle of one to the middle of another',
      find: '(name) {\n\t\tconsole.log("hullo " + name)\n\t}\n\treturn',
      expected: {
        cause: 'similar-text',
        nearest: {
          line: 4,
          endLine: 7,
          text: '\tif (name) {\n\t\tconsole.log("hello " + name)\n\t}\n\treturn name',
          similarity: 0.809,
        },
        suggestion: '(name) {\n\t\tconsole.log("hello " + name)\n\t}\n\treturn',
      },
    },
    {
      name: 'a mistyped line with its ending',
      find: '\treturn naem\n',
      expected: {
        cause: 'similar-text',
        nearest: { line: 7, endLine: 7, text: '\treturn name', similarity: 0.818 },
        suggestion: '\treturn name\n',
      },
    },
    {
      name: 'a mistyped word',
      find: '\treturn naem',
      expected: {
        cause: 'similar-text',
        nearest: { line: 7, endLine: 7, text: '\treturn name', similarity: 0.818 },
        suggestion: '\treturn name',
      },
    },
    {
      name: 'a line left out: too much for a suggestion',
      find: 'function greet(name) {\n\t\tconsole.log("hello " + name)\n\t}',
      expected: {
        cause: 'similar-text',
        nearest: {
          line: 3,
          endLine: 6,
          text: 'function greet(name) {\n\tif (name) {\n\t\tconsole.log("hello " + name)\n\t}',
          similarity: 0.778,
        },
      },
    },
    { name: 'nothing of the kind', find: 'SELECT * FROM users', expected: { cause: 'absent' } },
  ])('$name', ({ find, replace, expected }) => {
    expect(explainNoMatch(file, { find, ...(replace !== undefined && { replace }) })).toEqual(expected)
  })

  it('line endings, when the dialect distinguishes them', () => {
    expect(explainNoMatch('a\r\nb\r\n', { find: 'a\nb' })).toEqual({
      cause: 'line-endings',
      suggestion: 'a\r\nb',
      lines: [1],
    })
  })

  it('it stood in an earlier version', () => {
    const earlier = file.replace('return name', 'throw new Error()')
    expect(explainNoMatch(file, { find: '\tthrow new Error()' }, { earlierVersions: [earlier] })).toEqual({
      cause: 'matches-earlier-version',
      earlier,
    })
  })

  it('found in an earlier version: reports the lines there now, not similar ones elsewhere', () => {
    const earlier = 'a = 1\nb = total(x, 1)\nc = 2\nd = total(x, 2)\n'
    const now = 'new\na = 1\nb = subtotal(x)\nc = 2\nd = total(x, 2)\n'
    expect(explainNoMatch(now, { find: 'b = total(x, 1)' }, { earlierVersions: [earlier] })).toEqual({
      cause: 'matches-earlier-version',
      nearest: { line: 3, endLine: 3, text: 'b = subtotal(x)', similarity: 0.6 },
      earlier,
    })
    expect(explainNoMatch('c = 2\n', { find: 'b = total(x, 1)' }, { earlierVersions: [earlier] })).toEqual({
      cause: 'matches-earlier-version',
      earlier,
    })
  })

  it('already made if the new text occurs more often than in the version with the old text', () => {
    const earlier = 'a()\nreturn x\nb()\n'
    const edit = { find: 'b()', replace: 'return x' }
    expect(explainNoMatch('a()\nreturn x\nreturn x\n', edit, { earlierVersions: [earlier] })).toEqual({
      cause: 'already-applied',
      lines: [2, 3],
    })
    expect(explainNoMatch('a()\nreturn x\n', edit, { earlierVersions: [earlier] })).toMatchObject({
      cause: 'matches-earlier-version',
    })
  })

  it('characters where the file has escapes', () => {
    expect(explainNoMatch('print("a\\nb\\tc")\n', { find: 'a\nb\tc' })).toEqual({
      cause: 'escaped-text',
      suggestion: 'a\\nb\\tc',
      lines: [1],
    })
  })
})

describe('the nearest text', () => {
  /** Ten thousand lines that share their words, as code does. */
  function bigFile(): string[] {
    let state = 7
    const next = (limit: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return Math.floor((state / 4294967296) * limit)
    }
    const words = ['const', 'value', 'result', 'return', 'index', 'compute', 'handler', 'request', 'await', 'options']
    return Array.from({ length: 10_000 }, () => {
      const tokens = Array.from(
        { length: 3 + next(5) },
        () => `${words[next(words.length)]}${next(4) === 0 ? next(1000) : ''}`,
      )
      return `${'  '.repeat(next(4))}${tokens.join(' ')};`
    })
  }
  const lines = bigFile()
  const text = lines.join('\n')

  it('of a mistyped block of 20 lines among 10,000 is found, and soon', () => {
    const block = lines.slice(6000, 6020).map((line, index) => (index % 3 === 0 ? line.replace('e', 'a') : line))
    block.splice(7, 1)
    const { result, ms } = timed(200, () => mostSimilar(text, block.join('\n')))
    expect(result).toMatchObject({ line: 6001, endLine: 6020 })
    // 20 ms once it is compiled, on a fast processor.
    expect(ms).toBeLessThan(200)
  })

  it('of a block in which every line is mistyped is found too', () => {
    const block = lines.slice(3000, 3020).map((line) => line.replace(/[aeiou]/, '#'))
    expect(mostSimilar(text, block.join('\n'))).toMatchObject({ line: 3001, endLine: 3020 })
  })

  it('takes bounded time for a block as long as the file', () => {
    const block = lines.map((line) => line.replace('e', 'a')).join('\n')
    expect(timed(5000, () => mostSimilar(text, block)).ms).toBeLessThan(5000)
  })

  it('of nothing is nothing', () => {
    expect(mostSimilar('', 'abc')).toBeUndefined()
    expect(mostSimilar('abc', ' \n ')).toBeUndefined()
  })
})
