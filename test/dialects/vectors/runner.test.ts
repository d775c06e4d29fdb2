/** The runner itself: a check that can't fail would prove nothing. */
import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { untried } from './coverage.js'
import { matchText, matchValue } from './match.js'
import { type Answer, matchAnswer } from './match-answer.js'
import { unmetNeed } from './needs.js'
import { fillAll, generate, placesIn } from './places.js'
import { play } from './play.js'
import type { Session, Stage, Vector } from './stage.js'
import { differences, plantCase, snapshot } from './tree.js'
import type { Expectation, TextMatcher, Tree, VectorCase } from './types.js'

const places = placesIn('/base')
const spot = { where: 'here', places }

describe('a text matcher', () => {
  test.each<[TextMatcher, right: string, wrong: string]>([
    ['in {ROOT}', 'in /base/work', 'in {ROOT}'],
    [{ regex: '^{BASE}.$' }, '/base1', '/base12'],
    [{ contains: ['a', '{OUTSIDE}'] }, 'a /base/outside', 'a /base'],
    [{ notContains: ['a', 'b'] }, 'c', 'bc'],
    [{ startsWith: '{ROOT}' }, '/base/work/a', 'a /base/work'],
    [{ endsWith: 'z' }, 'yz', 'zy'],
    [{ lines: ['b', 'a'] }, 'a\nb\n', 'a\nb\nb'],
    [{ trimmed: 'a' }, ' a\n', 'a a'],
    [{ ignoreCase: ['ABC'] }, 'xabcx', 'ab c'],
    [{ minLength: 3 }, 'é1', 'é'],
    [{ maxLength: 2 }, 'é', 'é1'],
    [{ anyOf: ['a', { contains: ['b'] }] }, 'abc', 'ac'],
    [{ json: { a: 1 } }, '{"a":1,"b":2}', '{"a":1'],
    [{ $gen: { line: '{i}{i3}\n', from: 9, to: 10 } }, '9009\n10010\n', '9009\n'],
    [{ contains: ['a'], notContains: ['b'] }, 'a', 'ab'],
  ])('%j takes %j and not %j', (matcher, right, wrong) => {
    expect(matchText(matcher, right, spot)).toEqual([])
    expect(matchText(matcher, wrong, spot)).toHaveLength(1)
    expect(matchText(matcher, undefined, spot)).toHaveLength(1)
  })

  test('that does not exist is an error', () => {
    expect(() => matchText({ contain: ['a'] } as TextMatcher, 'a', spot)).toThrow('there is no matcher contain')
  })
})

describe('a value matcher', () => {
  test.each<[wanted: unknown, right: unknown, wrong: unknown]>([
    [1, 1, '1'],
    [null, null, undefined],
    ['{ROOT}', '/base/work', '/base'],
    [{ a: { b: [] } }, { a: { b: [], c: 1 } }, { a: { b: [1] } }],
    [{}, {}, []],
    [
      [1, { a: 1 }],
      [1, { a: 1, b: 2 }],
      [{ a: 1 }, 1, 1],
    ],
    [{ a: { $any: true } }, { a: null }, {}],
    [{ a: { $absent: true } }, {}, { a: null }],
    [{ a: { $nullish: true } }, { a: null }, { a: 0 }],
    [{ a: { $falsy: true } }, { a: 0 }, { a: 1 }],
    [{ $type: 'array' }, [], {}],
    [{ $text: { startsWith: 'a' } }, 'ab', 'ba'],
    [{ $regex: 'a.$' }, 'ab', 'b'],
    [{ $gen: { repeat: 'ab', times: 2 } }, 'abab', 'ab'],
    [{ $gte: 2 }, 2, 1],
    [{ $lte: 2 }, 2, '1'],
    [{ $len: 2 }, 'ab', ['a']],
    [{ $contains: [{ a: 1 }] }, [0, { a: 1 }], [0]],
    [{ $contains: ['b'] }, 'abc', 'ac'],
    [{ $lacks: [{ a: 1 }] }, [{ a: 2 }], [{ a: 1, b: 1 }]],
    [{ $set: [1, 2] }, [2, 1], [1, 2, 2]],
    [{ $anyOf: [1, { a: 1 }] }, { a: 1 }, 2],
  ])('%j takes %j and not %j', (wanted, right, wrong) => {
    expect(matchValue(wanted, right, spot)).toEqual([])
    expect(matchValue(wanted, wrong, spot)).toHaveLength(1)
  })

  test('that does not exist is an error', () => {
    expect(() => matchValue({ $most: 1 }, 1, spot)).toThrow('there is no matcher $most')
  })

  test('says where the fault is', () => {
    expect(matchValue({ a: [{ b: 'some text' }] }, { a: [{ b: 'some test' }] }, spot)).toEqual([
      'here.a[0].b: differs at 7: expected "some text", got "some test"',
    ])
  })
})

describe('an expectation', () => {
  const result = (text: string, more: object = {}): Answer => ({
    result: { content: [{ type: 'text', text }], ...more },
  })
  const error: Answer = { error: { code: -32001, message: 'no' } }

  test.each<[Expectation, right: Answer, ...wrong: Answer[]]>([
    [{}, result('a'), result('a', { isError: true }), error],
    [{ isError: true }, result('a', { isError: true }), result('a'), error],
    [{ text: 'a' }, result('a'), result('b'), { result: {} }],
    [{ json: { a: 1 } }, result('{"a":1}'), result('{"a":2}'), result('{')],
    [{ content: ['a', { type: 'text' }] }, { result: { content: [{ text: 'a' }, { type: 'text' }] } }, result('a')],
    [{ structured: { ok: true } }, result('', { structuredContent: { ok: true } }), result('')],
    [{ error: { code: -32001, message: 'no' } }, error, result('no', { isError: true })],
    [{ error: { code: -32002 } }, { error: { code: -32002, message: '' } }, error],
    [{ fails: true }, error, result('no')],
    [{ fails: 'no' }, result('no', { isError: true }), result('yes', { isError: true }), result('no')],
    [{ result: { a: 1 } }, { result: { a: 1 } }, { result: {} }],
    [{ tools: ['a'] }, { result: { tools: [{ name: 'a' }] } }, { result: { tools: [] } }],
    [{ oneOf: [{ text: 'a' }, { fails: true }] }, error, result('b')],
  ])('%j is met by %j alone', (expected, right, ...wrong) => {
    expect(matchAnswer(expected, right, spot)).toEqual([])
    for (const answer of wrong) expect(matchAnswer(expected, answer, spot)).toHaveLength(1)
  })
})

test('places and generated texts are filled in everywhere', () => {
  const given = { '{ROOT}': ['{OUTSIDE}/a', { $gen: { prefix: '<', line: '{i6}', to: 2, suffix: '>' } }], n: 1 }
  expect(fillAll(given, places)).toEqual({ '/base/work': ['/base/outside/a', '<     1     2>'], n: 1 })
  expect(generate({ repeat: 'ab', times: 2, suffix: '\n' })).toBe('abab\n')
})

describe('the trees afterwards', () => {
  const tree: Tree = { 'd/a.txt': 'A', 'run.sh': { text: 'R', mode: '755' }, ln: { link: '{OUTSIDE}' } }
  const outside: Tree = { s: 'S' }

  async function faultsOf(change: (fs: ReturnType<typeof memory>) => Promise<void>, wanted: VectorCase['after'] = {}) {
    const fs = memory({ '/base/work/': '', '/base/outside/': '' })
    await plantCase(fs, places, { name: '', calls: [], tree, outside })
    const before = await snapshot(fs, places)
    await change(fs)
    return differences(before, await snapshot(fs, places), wanted, places)
  }
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('are as before when nothing is named', async () => {
    expect(await faultsOf(async () => {})).toEqual([])
    expect(await faultsOf((fs) => fs.writeFile('/base/work/d/a.txt', bytes('B')))).toEqual([
      'after: work/d/a.txt was changed to "B"',
    ])
    expect(await faultsOf((fs) => fs.writeFile('/base/outside/s', bytes('T')))).toHaveLength(1)
    expect(await faultsOf((fs) => fs.writeFile('/base/x', bytes('')))).toEqual(['after: x should not be there'])
    expect(await faultsOf((fs) => fs.setMode!('/base/work/run.sh', 0o644))).toHaveLength(1)
    expect(await faultsOf((fs) => fs.remove('/base/work/ln'))).toEqual(['after: work/ln is missing'])
    const relink = async (fs: ReturnType<typeof memory>) => {
      await fs.remove('/base/work/ln')
      await fs.symlink!('elsewhere', '/base/work/ln')
    }
    expect(await faultsOf(relink)).toHaveLength(1)
    expect(await faultsOf(relink, { ln: { link: 'elsewhere' } })).toEqual([])
  })

  test('have exactly the named files', async () => {
    const write = (path: string, text: string) => (fs: ReturnType<typeof memory>) => fs.writeFile(path, bytes(text))
    expect(await faultsOf(write('/base/work/d/a.txt', 'B'), { 'd/a.txt': 'B' })).toEqual([])
    expect(await faultsOf(async () => {}, { 'd/a.txt': 'B' })).toHaveLength(1)
    expect(await faultsOf(write('/base/outside/n', '/base/work'), { '{OUTSIDE}/n': '{ROOT}' })).toEqual([])
    expect(await faultsOf(write('/base/work/n', 'abc'), { n: { regex: '^a.c$' } })).toEqual([])
    expect(await faultsOf(write('/base/work/n', 'abc'), { n: { regex: '^b' } })).toHaveLength(1)
    expect(await faultsOf((fs) => fs.makeDir('/base/work/e'), { 'e/': { dir: true } })).toEqual([])
    expect(await faultsOf(write('/base/work/e', ''), { 'e/': { dir: true } })).toHaveLength(1)
    expect(await faultsOf((fs) => fs.remove('/base/work/run.sh'), { 'run.sh': null })).toEqual([])
    expect(await faultsOf(async () => {}, { 'run.sh': null })).toEqual(['after: work/run.sh should not be there'])
    expect(await faultsOf(async () => {}, { 'run.sh': { text: 'R', mode: '755' } })).toEqual([])
    expect(await faultsOf(async () => {}, { 'run.sh': { text: 'R', mode: '644' } })).toHaveLength(1)
  })
})

test('reports what no case covers, down to single enum values', () => {
  const tool = {
    name: 'edit',
    inputSchema: {
      type: 'object' as const,
      properties: {
        path: { type: 'string' },
        how: { enum: ['usual', 'other'], default: 'usual' },
        dry: { type: 'boolean', default: false },
        edits: { type: 'array', items: { type: 'object', properties: { all: { type: 'boolean' }, old: {} } } },
      },
    },
  }
  const trying = (args: Record<string, unknown>): Vector => ({
    name: '',
    id: '',
    dialect: '',
    calls: [{ tool: 'edit', args }],
  })
  const some = trying({ path: 'a', how: 'usual', dry: false, edits: [{ old: '' }] })
  expect(untried([tool], [])).toEqual(['edit'])
  expect(untried([tool], [some])).toEqual(['edit.how: other', 'edit.dry: true', 'edit.edits[].all'])
  expect(untried([tool], [some, trying({ how: 'other', dry: true, edits: [{ all: true }] })])).toEqual([])
})

describe('a case', () => {
  const vector = (given: Partial<VectorCase>): Vector => ({ name: '', id: '', dialect: '', calls: [], ...given })
  const stage = (answer: Session['request'], raw: Partial<Stage['raw']> = {}): Stage => ({
    places,
    raw: { ...memory({ '/base/work/': '', '/base/outside/': '' }), ...raw },
    speaks: 'calls',
    start: async () => ({ request: answer }),
    close: async () => {},
  })
  const echo: Session['request'] = async (method, params) => ({
    result: { tools: [], content: [{ text: JSON.stringify([method, params]) }] },
  })

  test('reports every call that failed', async () => {
    const calls = [
      { tool: 'a', expect: { text: '1' } },
      [{ tool: 'b' }, { tool: 'c', maxMs: -1, expect: { fails: true as const } }],
    ]
    const outcome = await play(vector({ calls }), stage(echo))
    expect(outcome).toEqual({
      faults: [
        expect.stringMatching(/^call 1, a: differs/),
        expect.stringMatching(/^call 3, c: should fail/),
        expect.stringMatching(/^call 3, c: took \d+ ms, more than -1$/),
      ],
    })
  })

  test.each<[Partial<VectorCase>, reason: string]>([
    [{ tree: { a: { link: 'b' } } }, 'no symbolic links on this backend'],
    [{ after: { a: { text: '', mode: '644' } } }, 'no modes on this backend'],
    [
      { tree: { a: { mtime: 1_700_000_000 } }, calls: [{ tool: 'a', expect: { text: '2023-11-14T22:13:20Z' } }] },
      'times can’t be set on this backend',
    ],
    [{ calls: [{ raw: 'x' }] }, 'messages can’t be malformed on this backend'],
    [{ calls: [{ method: 'ping' }] }, 'no protocol on this backend'],
  ])('%j needs what is not everywhere', (given, reason) => {
    const { setMode, setModified, symlink, ...poor } = memory()
    expect(unmetNeed(vector(given), { ...stage(echo), raw: poor })).toBe(reason)
    expect(
      unmetNeed(vector(given), {
        ...stage(echo),
        raw: { ...poor, setMode, setModified, symlink } as Stage['raw'],
        speaks: 'lines',
      }),
    ).toBe(undefined)
  })
})
