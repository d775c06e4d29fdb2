import { describe, expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { checkFaultSchedule, faultInjector } from '../../harness/episode/fault-schedule.js'
import { scoreRun } from '../../harness/tasks/score-run.js'
import { fileChecks } from '../../harness/tasks/scorers/file-checks.js'
import type { FaultSchedule } from '../../harness/types.js'
import { tools } from '../../src/dialects/tool-definitions.js'
import { memory } from '../../src/fs/backends/memory.js'
import type { FileSystem } from '../../src/fs/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { snapshot } from '../core/change/faulty-disk.js'

const tree = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`src/file-${index}.ts`, `export const value = ${index}\n`]),
)
const files = { ...tree, 'docs/guide.md': '# Guide\n', 'notes.md': 'notes\n' }

/** Runs one call as an episode does, and returns its text. */
function open(schedule: FaultSchedule, { seed = 1, fs = memory(files) as FileSystem } = {}) {
  const injector = faultInjector(schedule, { seed })
  const workspace = createWorkspace({ fs: injector.wrap(fs) })
  const { call } = tools(workspace)
  return { injector, workspace, fs, run: (name: string, args: unknown) => runCall(injector, call, name, args) }
}

async function runCall(
  injector: ReturnType<typeof faultInjector>,
  call: ReturnType<typeof tools>['call'],
  name: string,
  args: unknown,
) {
  injector.beginCall()
  const result = await call(name, args)
  const text = result.content.map((part) => ('text' in part ? part.text : part.type)).join('\n')
  return { text, isError: result.isError === true, faults: injector.taken() }
}

const read = (path: string) => ['read_file', { path }] as const
const write = (path: string, content: string) => ['write_file', { path, content }] as const

describe('a schedule', () => {
  test('fails reads and writes with its codes, and reports each fault with the path of the agent', async () => {
    const { run } = open({ rate: 1, codes: ['BUSY'] })
    expect(await run(...read('notes.md'))).toMatchObject({
      isError: true,
      faults: [{ operation: 'readFile', path: '/notes.md', code: 'BUSY' }],
    })
    const replaced = await run(...write('notes.md', 'other'))
    expect(replaced.isError).toBe(true)
    expect(replaced.text).not.toContain('.polyfs-')
    const added = await run(...write('new.md', 'new'))
    expect(added).toMatchObject({ isError: true, faults: [{ operation: 'writeFile', path: '/new.md', code: 'BUSY' }] })
    expect(added.text).not.toContain('.polyfs-')
  })

  test('decides once about each write, whether it replaces a file or not', async () => {
    const { run } = open({ rate: 1, operations: ['writeFile'] })
    expect((await run(...write('notes.md', 'other'))).faults).toEqual([
      { operation: 'writeFile', path: '/notes.md', code: 'IO' },
    ])
    expect((await run(...write('new.md', 'new'))).faults).toEqual([
      { operation: 'writeFile', path: '/new.md', code: 'IO' },
    ])
  })

  test('leaves nothing behind when a write fails', async () => {
    for (const effect of ['none', 'all', 'part'] as const) {
      const { run, fs } = open({ rate: 1, operations: ['writeFile'], effect })
      const before = await snapshot(fs)
      expect((await run(...write('notes.md', 'other'))).isError).toBe(true)
      expect((await run(...write('new.md', 'new'))).isError).toBe(true)
      expect(await snapshot(fs)).toEqual(before)
    }
  })

  test('fails only what its globs match, from the root or, with a slash, from the top', async () => {
    const { run } = open({ rate: 1, paths: ['docs/*.md', '/src/file-{1,2}.ts', 'new.*'] })
    expect((await run(...read('docs/guide.md'))).isError).toBe(true)
    expect((await run(...read('src/file-1.ts'))).isError).toBe(true)
    expect((await run(...read('src/file-3.ts'))).isError).toBe(false)
    expect((await run(...read('notes.md'))).isError).toBe(false)
    expect((await run(...write('notes.md', 'other'))).isError).toBe(false)
    expect((await run(...write('src/new.ts', 'new'))).isError).toBe(true)
    expect((await run(...write('src/newer.ts', 'new'))).isError).toBe(false)
  })

  test('counts patterns without a slash from the root of the episode', async () => {
    const injector = faultInjector({ rate: 1, paths: ['*.md', 'src/**'] }, { seed: 1, root: '/docs' })
    const fs = injector.wrap(memory(files))
    injector.beginCall()
    await expect(fs.readFile('/docs/guide.md')).rejects.toMatchObject({ code: 'IO' })
    await fs.readFile('/notes.md')
    await fs.readFile('/src/file-1.ts')
  })

  test('fails moves of directories at either path, and removals, where these operations are named', async () => {
    const { run, fs } = open({ rate: 1, operations: ['rename', 'remove'], paths: ['docs', 'moved', 'notes.md'] })
    const before = await snapshot(fs)
    expect((await run('move', { source: 'docs', destination: 'other' })).faults).toEqual([
      { operation: 'rename', path: '/docs', code: 'IO' },
    ])
    expect((await run('move', { source: 'src', destination: 'moved' })).faults).toEqual([
      { operation: 'rename', path: '/src', code: 'IO' },
    ])
    expect((await run('delete', { path: 'notes.md' })).faults).toEqual([
      { operation: 'remove', path: '/notes.md', code: 'IO' },
    ])
    expect(await snapshot(fs)).toEqual(before)
    expect((await run('delete', { path: 'docs/guide.md' })).isError).toBe(false)
  })

  test('does not fail a read for lack of space', async () => {
    const { run } = open({ rate: 1, codes: ['NO_SPACE', 'READ_ONLY'] })
    expect(await run(...read('notes.md'))).toMatchObject({ isError: false, faults: [] })
    expect((await run(...write('notes.md', 'other'))).isError).toBe(true)
  })

  test('starts after so many calls and ends after so many faults', async () => {
    const { run } = open({ rate: 1, after: 2, most: 3, operations: ['readFile'] })
    const failed: boolean[] = []
    for (let call = 0; call < 8; call += 1) failed.push((await run(...read('notes.md'))).isError)
    expect(failed).toEqual([false, false, true, true, true, false, false, false])
  })

  test('does not fail outside of calls: before the first, between two, and in a fork that is only scored', async () => {
    const injector = faultInjector({ rate: 1 }, { seed: 1 })
    const fs = injector.wrap(memory(files))
    expect(await fs.readFile('/notes.md')).toHaveLength(6)
    injector.beginCall()
    await expect(fs.readFile('/notes.md')).rejects.toMatchObject({ code: 'IO' })
    injector.taken()
    expect(await fs.readFile('/notes.md')).toHaveLength(6)
    expect(await injector.fork().wrap(memory(files)).readFile('/notes.md')).toHaveLength(6)
  })

  test('does not fail the scorers of an episode', async () => {
    const episode = await openEpisode({ files, faults: { rate: 1, after: 1 } })
    await episode.tools.call('write_file', { path: 'done.txt', content: 'yes' })
    expect((await episode.tools.call('read_file', { path: 'notes.md' })).isError).toBe(true)
    const score = [fileChecks([{ path: '/done.txt', text: 'yes' }])]
    const task = { id: 't', instruction: '', files, score }
    expect(await scoreRun({ episode, task, trace: episode.trace, answer: '' })).toMatchObject({ value: 1 })
  })

  test('fails about as often as its rate says, with all of its codes', async () => {
    const codes = ['IO', 'BUSY', 'DENIED'] as const
    const injector = faultInjector({ rate: 0.3, codes }, { seed: 7 })
    const fs = injector.wrap(memory(files))
    const outcomes: string[] = []
    for (let call = 0; call < 3000; call += 1) {
      injector.beginCall()
      outcomes.push(
        await fs.readFile('/notes.md').then(
          () => 'fine',
          (error) => error.code,
        ),
      )
    }
    const rate = (outcome: string) => outcomes.filter((one) => one === outcome).length / outcomes.length
    expect(rate('fine')).toBeCloseTo(0.7, 1)
    for (const code of codes) expect(rate(code)).toBeCloseTo(0.1, 1)
    // Neighbouring calls are independent: both fail with the square of the rate.
    const pairs = outcomes.filter((one, index) => one !== 'fine' && outcomes[index + 1] !== 'fine').length
    expect(pairs / outcomes.length).toBeCloseTo(0.09, 1)
  })
})

describe('the same seed', () => {
  const schedule: FaultSchedule = { rate: 0.4, operations: ['readFile', 'writeFile', 'rename', 'readDir'] }
  const calls = [
    ['grep', { pattern: 'value' }],
    read('src/file-3.ts'),
    ['edit_file', { path: 'src/file-4.ts', old_string: 'value', new_string: 'number' }],
    write('src/new.ts', 'new\n'),
    ['move', { source: 'notes.md', destination: 'docs/notes.md' }],
    ['list_dir', { path: '.' }],
  ] as const

  async function transcript({ run }: ReturnType<typeof open>, times = 5) {
    const results = []
    for (let turn = 0; turn < times; turn += 1) for (const [name, args] of calls) results.push(await run(name, args))
    return results.map(({ faults, isError }) => ({ faults, isError }))
  }

  test('gives the same faults, and another seed others', async () => {
    const first = await transcript(open(schedule))
    expect(first.flatMap(({ faults }) => faults).length).toBeGreaterThan(10)
    expect(await transcript(open(schedule))).toEqual(first)
    expect(await transcript(open(schedule, { seed: 2 }))).not.toEqual(first)
    expect(await transcript(open({ ...schedule, seed: 1 }, { seed: 2 }))).toEqual(first)
  })

  test('gives the same faults in whatever order concurrent operations arrive', async () => {
    const paths = Object.keys(files).map((path) => `/${path}`)
    async function faultsOf(order: readonly string[]) {
      const injector = faultInjector({ rate: 0.5 }, { seed: 3 })
      const fs = injector.wrap(memory(files))
      injector.beginCall()
      await Promise.allSettled(order.map((path) => fs.readFile(path)))
      return injector.taken()
    }
    const faults = await faultsOf(paths)
    expect(faults.length).toBeGreaterThan(2)
    expect(await faultsOf([...paths].reverse())).toEqual(faults)
  })

  test('goes on in a fork as in the original', async () => {
    const original = open({ ...schedule, most: 30 })
    await transcript(original, 2)
    const copy = memory(files)
    const forked = original.injector.fork()
    const other = original.injector.fork({ seed: 9 })
    const results = []
    for (const injector of [original.injector, forked, other]) {
      const fs = injector.wrap(copy.fork())
      const { call } = tools(createWorkspace({ fs }))
      results.push(await transcript({ ...original, run: (name, args) => runCall(injector, call, name, args) }))
    }
    expect(results[1]).toEqual(results[0])
    expect(results[2]).not.toEqual(results[0])
    const taken = results[0]?.flatMap(({ faults }) => faults).length ?? 0
    expect(taken).toBeGreaterThan(0)
  })
})

test('nothing gets around the injector: when every operation fails, no tool touches a file', async () => {
  const operations = [
    'stat',
    'readFile',
    'writeFile',
    'readDir',
    'makeDir',
    'remove',
    'rename',
    'symlink',
    'readLink',
    'setMode',
    'setModified',
  ] as const
  const touched: string[] = []
  const fs = watched(memory(files), touched)
  const { run } = open({ rate: 1, operations, after: 1 }, { fs })
  await run(...read('notes.md'))
  expect(touched.length).toBeGreaterThan(0)
  touched.length = 0
  const calls = [
    read('notes.md'),
    write('notes.md', 'other'),
    write('new/new.md', 'new'),
    ['list_dir', { path: '.' }],
    ['glob', { pattern: '**/*.ts' }],
    ['grep', { pattern: 'value' }],
    ['file_info', { path: 'notes.md' }],
    ['edit_file', { path: 'notes.md', old_string: 'notes', new_string: 'other' }],
    ['move', { source: 'notes.md', destination: 'other.md' }],
    ['copy', { source: 'notes.md', destination: 'other.md' }],
    ['delete', { path: 'notes.md' }],
    ['make_dir', { path: 'new' }],
    ['git', { action: 'status' }],
    ['history', { action: 'list' }],
  ] as const
  for (const [name, args] of calls) await run(name, args)
  expect(touched).toEqual([])
})

/** Records every access to the tree, also through its facets. */
function watched<Part extends object>(part: Part, touched: string[]): Part {
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    if (typeof value === 'function') {
      return [
        key,
        (...args: unknown[]) => {
          touched.push(`${key} ${String(args[0])}`)
          return Reflect.apply(value, undefined, args)
        },
      ]
    }
    return [
      key,
      key === 'capabilities' || typeof value !== 'object' || value === null ? value : watched(value, touched),
    ]
  })
  return Object.fromEntries(entries)
}

test('calls under faults land whole or not at all', async () => {
  let failures = 0
  for (let seed = 1; seed <= 60; seed += 1) {
    const codes = ['IO', 'NO_SPACE', 'DENIED', 'BUSY', 'TOO_MANY_OPEN'] as const
    const effect = (['none', 'all', 'part'] as const)[seed % 3]
    const { run, fs, workspace } = open(
      {
        rate: 0.2,
        codes,
        operations: ['readFile', 'writeFile', 'rename', 'remove', 'stat'],
        ...(effect && { effect }),
      },
      { seed },
    )
    for (let call = 0; call < 6; call += 1) {
      const before = await snapshot(fs)
      const [a, b] = [`src/file-${call}.ts`, `src/file-${call + 1}.ts`]
      const patch = [
        '*** Begin Patch',
        `*** Update File: ${a}`,
        '@@',
        `-export const value = ${call}`,
        `+export const value = ${call}${call}`,
        `*** Delete File: ${b}`,
        `*** Add File: src/added-${call}.ts`,
        '+added',
        '*** End Patch',
      ].join('\n')
      const { isError, text } = await run('apply_patch', { patch })
      expect(text).not.toMatch(/internal/i)
      if (!isError) continue
      failures += 1
      // What a failing rollback left is finished with the next call.
      await settled(workspace)
      expect(await snapshot(fs)).toEqual(before)
    }
  }
  expect(failures).toBeGreaterThan(60)
})

async function settled({ changes }: ReturnType<typeof createWorkspace>): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    await changes.settle().catch(() => {})
    if ((await changes.journal.pending()).length === 0) return
  }
  throw new Error('a change stays pending')
}

describe('a schedule that is wrong', () => {
  test.for([
    [undefined, 'A fault schedule must be an object, not undefined.'],
    [[], 'A fault schedule must be an object, not [].'],
    [{}, 'rate of a fault schedule must be a number from 0 to 1, not undefined.'],
    [{ rate: 1.5 }, 'rate of a fault schedule must be a number from 0 to 1, not 1.5.'],
    [{ rate: Number.NaN }, 'rate of a fault schedule must be a number from 0 to 1, not null.'],
    [{ rate: 1, seed: 0.5 }, 'seed of a fault schedule must be a whole number, not 0.5.'],
    [{ rate: 1, most: -1 }, 'most of a fault schedule must be a whole number from 0, not -1.'],
    [{ rate: 1, after: '3' }, 'after of a fault schedule must be a whole number from 0, not "3".'],
    [
      { rate: 1, codes: ['NO_MATCH'] },
      'codes of a fault schedule must be a list of one or more of NO_SPACE, IO, DENIED, READ_ONLY, BUSY, TOO_MANY_OPEN, not ["NO_MATCH"].',
    ],
    [
      { rate: 1, operations: [] },
      'operations of a fault schedule must be a list of one or more of stat, readFile, writeFile, readDir, makeDir, remove, rename, symlink, readLink, setMode, setModified, not [].',
    ],
    [{ rate: 1, paths: '*.md' }, 'paths of a fault schedule must be a list of globs, not "*.md".'],
    [{ rate: 1, paths: ['[a'] }, 'paths of a fault schedule: "[a" is not a glob: a [ is never closed.'],
    [{ rate: 1, effect: 'some' }, 'effect of a fault schedule must be one of none, all, part, not "some".'],
    [
      { rate: 1, rates: 2 },
      'A fault schedule has no field "rates", only seed, rate, codes, operations, paths, after, most, effect.',
    ],
  ] as const)('is refused with the field and what it may be: %j', ([schedule, message]) => {
    expect(() => checkFaultSchedule(schedule)).toThrow(message)
  })
})
