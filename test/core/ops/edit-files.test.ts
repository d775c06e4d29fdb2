import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { editFiles } from '../../../src/ops/many/edit-files.js'
import { editPrefilter } from '../../../src/ops/shared/edit-prefilter.js'
import { compileMatcher } from '../../../src/search/patterns/matcher.js'
import { regexSearch } from '../../../src/search/patterns/regex-search.js'
import { matchRules } from '../../../src/text/edit/match/rules.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { scaled } from '../../scale.js'
import { backends } from './stage.js'

const literal = (find: string, replace: string) => ({ kind: 'literal' as const, find, replace, count: 'all' as const })

describe.each(backends)('editing several files %s', (_name, open) => {
  test('those that a glob selects and that have a match', async () => {
    const { change } = await open({
      '.gitignore': 'out\n',
      'src/a.ts': 'foo\nfoo foo\n',
      'src/b.ts': 'bar\n',
      'src/c.md': 'foo\n',
      'out/a.ts': 'foo\n',
      'bin.ts': 'foo\0',
    })
    const { result, tree } = await change(editFiles, {
      select: { include: ['**/*.ts'], ignore: { git: 'always' } },
      edits: [literal('foo', 'baz')],
      binaryWindow: 100,
    })
    expect(tree).toMatchObject({ 'src/a.ts': 'baz\nbaz baz\n', 'src/c.md': 'foo\n', 'out/a.ts': 'foo\n' })
    expect(result).toMatchObject({
      files: [{ path: '/w/src/a.ts', lines: [1, 2, 2] }],
      unmatched: 1,
      skipped: { binary: 1, tooLarge: 0, unreadable: 0 },
      skippedFiles: [{ path: '/w/bin.ts', why: 'binary' }],
      ignored: 1,
    })
  })

  test('a file that is too large is left out, by a search and by a walk', async () => {
    const { change } = await open({ a: 'foo\n', big: 'foo '.repeat(100) }, { limits: { maxFileBytes: 100 } })
    for (const edit of [literal('foo', 'bar'), { kind: 'insert' as const, before: 1, lines: ['head'] }]) {
      const { result, tree } = await change(editFiles, { select: {}, edits: [edit] })
      expect(result).toMatchObject({
        files: [{ path: '/w/a' }],
        skipped: { tooLarge: 1 },
        skippedFiles: [{ path: '/w/big', why: 'tooLarge' }],
      })
      expect(tree).toMatchObject({ big: 'foo '.repeat(100) })
    }
  })

  test('a file that is reached in several ways is edited once', async () => {
    const { change } = await open({ a: 'x\n', 'd/b': 'x\n', link: { link: 'a' }, dir: { link: 'd' } })
    const { result, tree } = await change(editFiles, {
      paths: ['a', './a', 'link', 'dir/b', 'd/b'],
      edits: [literal('x', 'xx')],
    })
    expect(result.files.map(({ path }) => path)).toEqual(['/w/a', '/w/dir/b'])
    expect(tree).toMatchObject({ a: 'xx\n', 'd/b': 'xx\n', link: { link: 'a' } })
  })

  test('a file that is named and selected is edited once, and must have a match', async () => {
    const { change, refusal } = await open({ a: 'x\n', b: 'x\n', c: 'y\n' })
    const { result } = await change(editFiles, { paths: ['b'], select: {}, edits: [literal('x', 'xx')] })
    expect(result.files.map(({ path }) => path)).toEqual(['/w/b', '/w/a'])
    expect(await refusal(editFiles, { paths: ['c'], select: {}, edits: [literal('x', 'z')] })).toMatchObject({
      code: 'NO_MATCH',
      path: '/w/c',
    })
  })

  test('all or none: a failure in the last file changes nothing', async () => {
    const { refusal } = await open({ a: 'x\n', b: 'x x\n', c: 'y\n', d: 'z\n', 'e/f': '' })
    const only = { ...literal('x', 'z'), count: 'only' as const }
    expect(await refusal(editFiles, { select: {}, edits: [only] })).toEqual({
      code: 'AMBIGUOUS_MATCH',
      path: '/w/b',
      edit: 0,
      rule: 'exact',
      count: 2,
      lines: [1, 1],
    })
    expect(await refusal(editFiles, { paths: ['a', 'c', 'b', 'd'], edits: [literal('x', 'z')] })).toMatchObject({
      code: 'NO_MATCH',
      path: '/w/c',
      also: ['/w/d'],
    })
    expect(await refusal(editFiles, { paths: ['a', 'none'], edits: [literal('x', 'z')] })).toMatchObject({
      code: 'NOT_FOUND',
      path: '/w/none',
    })
    expect(await refusal(editFiles, { select: {}, edits: [literal('x', 'z')], expectedCount: 2 })).toEqual({
      code: 'UNEXPECTED_COUNT',
      expected: 2,
      actual: 3,
      files: [
        { path: '/w/a', count: 1 },
        { path: '/w/b', count: 2 },
      ],
    })
    expect(await refusal(editFiles, { select: {}, edits: [literal('nowhere', 'z')] })).toEqual({
      code: 'NO_MATCH',
      path: '/w',
      edit: 0,
      explanation: { cause: 'absent' },
      files: 5,
    })
    expect(await refusal(editFiles, { select: { path: 'a' }, edits: [literal('x', 'z')] })).toEqual({
      code: 'NOT_A_DIRECTORY',
      path: '/w/a',
    })
  })

  test('a file in a root that is only readable is refused, and so is the whole', async () => {
    const { refusal } = await open({ a: 'x\n', 'ro/b': 'x\n' }, { readOnlyRoot: 'ro' })
    expect(await refusal(editFiles, { select: {}, edits: [literal('x', 'z')] })).toEqual({
      code: 'READ_ONLY',
      path: '/w/ro/b',
    })
  })

  test('a dry run reports the same and changes nothing', async () => {
    const { change } = await open({ a: 'x\n', b: 'x\n' })
    const input = { select: {}, edits: [literal('x', 'z')], texts: true }
    const { result, tree } = await change(editFiles, { ...input, dryRun: true })
    expect(tree).toEqual({ a: 'x\n', b: 'x\n' })
    expect(result.files).toMatchObject([
      { before: 'x\n', after: 'z\n' },
      { before: 'x\n', after: 'z\n' },
    ])
    expect((await change(editFiles, input)).result).toEqual(result)
  })

  test('only a named file is searched tolerantly, and only without an exact match', async () => {
    const { change } = await open({ a: 'if (x) {\n\treturn 1\n}\n', b: 'if (x) {\n  return 1\n}\n' })
    const edits = [{ ...literal('if (x) {\n  return 1\n}', 'gone()'), count: 'only' as const }]
    const options = { rules: matchRules }
    expect((await change(editFiles, { select: {}, edits, options })).tree).toEqual({
      a: 'if (x) {\n\treturn 1\n}\n',
      b: 'gone()\n',
    })
    expect((await change(editFiles, { paths: ['a'], edits, options })).tree).toEqual({ a: 'gone()\n', b: 'gone()\n' })
  })

  test('lines that a selected file has not: no match for a search, a failure for an edit of lines', async () => {
    const { change, refusal } = await open({ a: 'x\n\nx\n', b: 'x\n' })
    const within = { first: 3, last: 3 }
    expect((await change(editFiles, { select: {}, edits: [{ ...literal('x', 'z'), within }] })).tree).toEqual({
      a: 'x\n\nz\n',
      b: 'x\n',
    })
    const lines = { kind: 'lines' as const, first: 3, last: 3, lines: ['new'] }
    expect(await refusal(editFiles, { select: {}, edits: [lines] })).toMatchObject({
      code: 'LINE_OUT_OF_RANGE',
      path: '/w/b',
    })
  })
})

test('progress goes up only, and an abort leaves all as it was', async () => {
  const tree = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`/d${index % 7}/f${index}`, 'foo\n']))
  const workspace = createWorkspace({ fs: memory(tree) })
  const seen: { done: number; total?: number }[] = []
  const input = { select: {}, edits: [literal('foo', 'bar')] }
  const controller = new AbortController()
  const aborted = workspace.run(editFiles, input, {
    signal: controller.signal,
    onProgress: ({ done }) => {
      if (done > 400) controller.abort()
    },
  })
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
  expect((await workspace.history.list()).length).toBe(0)
  await workspace.run(editFiles, input, { onProgress: (progress) => seen.push(progress) })
  const done = seen.map((progress) => progress.done)
  expect(done).toEqual([...done].sort((a, b) => a - b))
  expect(seen.at(-1)).toEqual({ done: 900, total: 900 })
  expect((await workspace.history.list()).length).toBe(1)
})

/** A file as the model knows it. */
interface ModelFile {
  text: string
  encoding: 'utf-8' | 'utf-8-bom' | 'utf-16le'
  crlf: boolean
  /** Bytes that are not text. */
  tail: readonly number[]
}

type ModelEdit = { find: string; replace: string; all: boolean; regex: boolean }

const words = ['foo', 'bar', 'é', '日本', 'x1', '\n', '\n', ' ', ' ']
const finds = ['foo', 'o b', 'é', '本', 'x', 'bar\nfoo', 'new', 'nothing']
const patterns = ['fo+', '[a-z]\\d', 'b.r|é', '(?<=日)本', '\\bbar$', 'r\\nf', '[é本]', 'FOO']

const anyFile: fc.Arbitrary<ModelFile> = fc.record({
  text: fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join('')),
  encoding: fc.constantFrom('utf-8', 'utf-8', 'utf-8', 'utf-8-bom', 'utf-16le'),
  crlf: fc.boolean(),
  tail: fc.constantFrom([], [], [], [0xe9], [0]),
})
const anyEdit: fc.Arbitrary<ModelEdit> = fc.boolean().chain((regex) =>
  fc.record({
    find: fc.constantFrom(...(regex ? patterns : finds)),
    replace: fc.constantFrom('new', 'foo', 'é', ''),
    all: fc.boolean(),
    regex: fc.constant(regex),
  }),
)
const names = ['a.t', 'b.t', 'd/c.t', 'd/e.u', 'f.u']

function bytesOf({ text, encoding, crlf, tail }: ModelFile): Uint8Array {
  const ended = crlf ? text.replaceAll('\n', '\r\n') : text
  const marked = encoding === 'utf-8' ? ended : `\ufeff${ended}`
  if (encoding !== 'utf-16le') return Uint8Array.from([...new TextEncoder().encode(marked), ...tail])
  return Uint8Array.from(
    Array.from(marked.split(''), (unit) => [unit.charCodeAt(0) & 0xff, unit.charCodeAt(0) >> 8]).flat(),
  )
}

function isBinary({ encoding, tail }: ModelFile): boolean {
  return encoding !== 'utf-16le' && tail.includes(0)
}

/** The text after an edit and the number of places; undefined if it is refused. */
function applyOne(text: string, { find, replace, all, regex }: ModelEdit): { text: string; count: number } | undefined {
  if (!regex && find === replace) return undefined
  const pattern = regex ? new RegExp(find, 'gmu') : new RegExp(find.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gu')
  const count = [...text.matchAll(pattern)].length
  if (!all && count > 1) return undefined
  return { text: text.replace(pattern, () => replace), count }
}

function expected(
  files: ReadonlyMap<string, ModelFile>,
  edits: readonly ModelEdit[],
  { named, selected }: { named: readonly string[]; selected: (name: string) => boolean },
): { changed: Map<string, ModelFile>; places: number } | undefined {
  if (edits.some(({ regex, find, replace }) => !regex && find === replace)) return undefined
  const hits = edits.map(() => 0)
  const changed = new Map<string, ModelFile>()
  let places = 0
  for (const [name, file] of files) {
    const isNamed = named.includes(name)
    if (!isNamed && !selected(name)) continue
    if (isBinary(file)) {
      if (isNamed) return undefined
      continue
    }
    // A byte that is not UTF-8 is a lone surrogate to the edit.
    const tail = file.encoding === 'utf-16le' ? '' : String.fromCharCode(...file.tail.map((byte) => 0xdc00 + byte))
    let text = file.text + tail
    let own = 0
    for (const [index, edit] of edits.entries()) {
      const applied = applyOne(text, edit)
      if (applied === undefined) return undefined
      text = applied.text
      own += applied.count
      hits[index] = (hits[index] ?? 0) + applied.count
    }
    if (own === 0 && isNamed) return undefined
    if (own > 0) changed.set(name, { ...file, text: text.slice(0, text.length - tail.length) })
    places += own
  }
  return hits.includes(0) ? undefined : { changed, places }
}

test('random trees and edits, against a model', async () => {
  const tally = { edited: 0, refused: 0, files: 0 }
  const scope = fc.oneof(
    fc.record({ named: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), glob: fc.constant(undefined) }),
    fc.record({ named: fc.constant([]), glob: fc.constantFrom('**/*', '**/*.t', 'd/**') }),
  )
  const tree = fc.tuple(...names.map(() => anyFile))
  const edits = fc.array(anyEdit, { minLength: 1, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(
      tree,
      edits,
      scope,
      fc.boolean(),
      fc.integer({ min: -1, max: 1 }),
      async (contents, given, where, dryRun, off) => {
        const files = new Map(names.map((name, index) => [name, contents[index] as ModelFile]))
        const fs = memory(Object.fromEntries([...files].map(([name, file]) => [`/${name}`, bytesOf(file)])))
        const workspace = createWorkspace({ fs, journal: await storedJournal(memory()) })
        const selected = (name: string) =>
          where.glob !== undefined &&
          (where.glob === '**/*' || (where.glob === 'd/**' ? name.startsWith('d/') : name.endsWith('.t')))
        const model = expected(files, given, { named: where.named, selected })
        const outcome = await workspace
          .run(editFiles, {
            paths: [...where.named],
            ...(where.glob !== undefined && { select: { include: [where.glob] } }),
            edits: given.map(({ find, replace, all, regex }) => {
              const count = all ? ('all' as const) : ('only' as const)
              return regex
                ? { kind: 'regex' as const, pattern: find, replace, count }
                : { kind: 'literal' as const, find, replace, count }
            }),
            dryRun,
            binaryWindow: 1000,
            ...(off >= 0 && model && { expectedCount: model.places + off }),
          })
          .catch((error) => {
            if (!isFsError(error)) throw error
            return undefined
          })
        const isDone = model !== undefined && off < 1
        const shown = JSON.stringify({ given, where, files: [...files] })
        expect(outcome !== undefined, shown).toBe(isDone)
        tally[isDone ? 'edited' : 'refused'] += 1
        if (model && outcome) {
          tally.files += outcome.files.length
          expect(outcome.files.map(({ path }) => path.slice(1)).sort(), shown).toEqual([...model.changed.keys()].sort())
          expect(
            outcome.files.reduce((sum, { places }) => sum + places, 0),
            shown,
          ).toBe(model.places)
        }
        for (const [name, file] of files) {
          const now = (isDone && !dryRun && model?.changed.get(name)) || file
          expect([...(await fs.readFile(`/${name}`))], `${name} of ${shown}`).toEqual([...bytesOf(now)])
        }
        const records = await workspace.history.list()
        expect(records.length).toBeLessThanOrEqual(isDone && !dryRun ? 1 : 0)
        if (records.length === 0) return
        await workspace.history.undo()
        for (const [name, file] of files) expect([...(await fs.readFile(`/${name}`))]).toEqual([...bytesOf(file)])
      },
    ),
    { numRuns: scaled(1600) },
  )
  expect(tally.edited).toBeGreaterThan(scaled(20))
  expect(tally.refused).toBeGreaterThan(scaled(20))
  expect(tally.files).toBeGreaterThan(scaled(30))
})

test('the prefilter lets through every text in which an edit finds something', () => {
  const piece = fc.constantFrom(
    'a',
    'B',
    'foo',
    '.',
    '\\d',
    '(?:ab)?',
    'k',
    'é',
    '\\n',
    'x{2}',
    '[st]',
    '(c|d)',
    '$',
    '^',
    '\\s',
    '(?!z)',
  )
  const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
  const text = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'B',
        'foo',
        'FOO',
        '1',
        'ab',
        'k',
        '\u212a',
        'é',
        '\n',
        '\r\n',
        'xx',
        's',
        '\u017f',
        'c',
        ' ',
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join(''))
  let found = 0
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, given, caseInsensitive) => {
      const folded = given.replaceAll('\r\n', '\n')
      const search = regexSearch(source, { ignoreCase: caseInsensitive })
      const isFound = [folded, given].some((each) => [...search(each)].length > 0)
      const spec = editPrefilter([{ kind: 'regex', pattern: source, caseInsensitive }])
      if (!isFound || spec === undefined) return
      found += 1
      const { regex } = compileMatcher(spec)
      expect(given.split(/\r?\n/).some((line) => typeof regex.find(line, 0) === 'object')).toBe(true)
    }),
    { numRuns: scaled(8000) },
  )
  expect(found).toBeGreaterThan(scaled(100))
})
