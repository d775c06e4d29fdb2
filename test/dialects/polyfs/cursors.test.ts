/** A cursor of a call that changed something reads the rest of that answer, and never changes anything. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAnswers } from '../../../src/dialects/polyfs/paging/answer-store.js'
import { writeCursor } from '../../../src/dialects/polyfs/paging/cursor.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { JsonSchema, ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { snapshot } from '../../core/change/faulty-disk.js'
import { longTest } from '../../scale.js'

const author = 'Ada <ada@example.org>'

/** Calls of one kind that change this many files, each on its own stage. */
interface Scene {
  tool: string
  args: object
  /** Calls made first. */
  first?: readonly (readonly [tool: string, args: object])[]
}

const commitAll = [
  ['git', { action: 'add' }],
  ['git', { action: 'commit', message: 'x', author }],
] as const

/** Every action of every tool that changes something and has a cursor. */
function scenes(files: readonly string[]): Scene[] {
  const written = (content: string) => ({ files: files.map((path) => ({ path, content })) })
  const repository = [['git', { action: 'init' }], ['write_file', written('old\n')], ...commitAll] as const
  const changed = [...repository, ['write_file', written('new\n')]] as const
  const branched = [
    ...repository,
    ['git', { action: 'checkout', name: 'other' }],
    ['write_file', written('new\n')],
    ...commitAll,
  ] as const
  const behind = [...branched, ['git', { action: 'checkout', revision: 'main' }]] as const
  const patch = ['*** Begin Patch', ...files.map((path) => `*** Add File: p/${path}\n+x`), '*** End Patch'].join('\n')
  const packed = [...repository, ['archive', { action: 'create', path: 'all.zip' }]] as const
  const git = (args: { action: string; [name: string]: unknown }, first: Scene['first'] = changed): Scene => ({
    tool: 'git',
    args,
    ...(first && { first }),
  })
  return [
    git({ action: 'status' }),
    git({ action: 'diff' }),
    git({ action: 'log' }),
    git({ action: 'show' }),
    git({ action: 'add' }),
    git({ action: 'restore', paths: ['.'] }),
    git({ action: 'restore', paths: ['.'], staged: true }, [...changed, ['git', { action: 'add' }]]),
    git({ action: 'commit', message: 'x', author }, [...changed, ['git', { action: 'add' }]]),
    git({ action: 'branch' }),
    git({ action: 'branch', name: 'topic' }),
    git({ action: 'checkout', revision: 'master' }, branched),
    git({ action: 'checkout', revision: 'master', force: true }, [...branched, ['write_file', written('newer\n')]]),
    git({ action: 'merge', revision: 'other', author }, behind),
    git({ action: 'cherry-pick', revision: 'other', author }, behind),
    git({ action: 'init', path: 'inner' }),
    git({ action: 'clone', url: 'http://127.0.0.1:1/none' }),
    { tool: 'history', args: { action: 'list' }, first: changed },
    { tool: 'history', args: { action: 'diff' }, first: changed },
    { tool: 'history', args: { action: 'undo' }, first: changed },
    { tool: 'history', args: { action: 'checkpoint', point: 'here' }, first: changed },
    {
      tool: 'history',
      args: { action: 'restore', point: 'before' },
      first: [...repository, ['history', { action: 'checkpoint', point: 'before' }], ['write_file', written('new\n')]],
    },
    { tool: 'archive', args: { action: 'list', path: 'all.zip' }, first: packed },
    { tool: 'archive', args: { action: 'extract', path: 'all.zip', destination: 'out' }, first: packed },
    {
      tool: 'archive',
      args: { action: 'extract', path: 'all.zip', destination: '.', existing: 'replace' },
      first: [...packed, ['write_file', written('new\n')]],
    },
    { tool: 'archive', args: { action: 'create', path: 'all.zip', existing: 'replace' }, first: packed },
    { tool: 'apply_patch', args: { patch } },
    { tool: 'apply_patch', args: { patch, dry_run: true } },
    {
      tool: 'apply_patch',
      args: { patch, partial: true },
      first: [['write_file', { path: `p/${files.at(-1)}`, content: 'in the way\n', parents: true }]],
    },
  ]
}

const pagedTools = polyfs.tools.filter(({ mutates, schema }) => mutates && 'cursor' in propertiesOf(schema().input))

test('every action of every tool that changes something and has a cursor is tried', () => {
  const known = scenes(['a']).map(({ tool, args }) => nameOf(tool, args))
  const all = pagedTools.flatMap(({ name, schema }) => {
    const { action } = propertiesOf(schema().input) as { action?: { enum?: string[] } }
    return (action?.enum ?? [undefined]).map((one) => nameOf(name, { action: one }))
  })
  expect([...new Set(known)].sort()).toEqual(all.sort())
})

test('pages of an answer make up the answer, and reading them changes nothing', async () => {
  let more = 0
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 14, max: 20 }), fc.integer({ min: 256, max: 400 }), async (count, tokens) => {
      const files = Array.from({ length: count }, (_, at) => `directory/with a long name/${at}.txt`)
      for (const scene of scenes(files)) {
        const name = nameOf(scene.tool, scene.args)
        const { call, state } = await stage(scene)
        // A reading call may run twice; a changing one runs on a second stage.
        const wholeCall = changes(scene) ? (await stage(scene)).call : call
        const whole = await wholeCall(scene.tool, { ...scene.args, max_tokens: 2_000_000 })
        let page = await call(scene.tool, { ...scene.args, max_tokens: tokens })
        const rows = rowsOf(page)
        // Another call changes a file in between.
        if (changes(scene)) await call('write_file', { path: files[0], content: 'mine\n' })
        for (let cursor = page.facts?.cursor; cursor !== undefined; cursor = page.facts?.cursor) {
          const before = await state()
          page = await call(scene.tool, { ...scene.args, max_tokens: tokens, cursor })
          expect({ name, state: await state() }).toEqual({ name, state: before })
          expect({ name, isError: page.isError ?? false, page }).toMatchObject({ name, isError: false })
          rows.push(...rowsOf(page))
          more += 1
        }
        expect({ name, rows: rows.map(withoutNames) }).toEqual({ name, rows: rowsOf(whole).map(withoutNames) })
      }
    }),
    { numRuns: 1, seed: 20_261_116 },
  )
  expect(more).toBeGreaterThan(5)
})

test('a cursor that was not given with an answer of this very call is refused, and nothing is done', async () => {
  const files = Array.from({ length: 32 }, (_, at) => `directory/with a long name/${at}.txt`)
  for (const scene of scenes(files).filter(changes)) {
    const name = nameOf(scene.tool, scene.args)
    const { call, state } = await stage(scene)
    const other = await call('git', { action: 'add', paths: ['.'], max_tokens: 256 })
    const reading = await call('glob', { pattern: '**', max_tokens: 256 })
    const forged = ['x', 'gone', 7].map((id) => writeCursor(scene, [id, 3]))
    const before = await state()
    for (const cursor of ['', 'x', String(other.facts?.cursor), String(reading.facts?.cursor), ...forged]) {
      const refused = await call(scene.tool, { ...scene.args, cursor })
      expect({ name, cursor, isError: refused.isError }).toEqual({ name, cursor, isError: true })
      expect({ name, cursor, state: await state() }).toEqual({ name, cursor, state: before })
    }
  }
})

longTest('an answer that is not stored any more says so', async () => {
  const scene = { tool: 'git', args: { action: 'add' }, first: [['git', { action: 'init' }]] as const }
  const { call, state } = await stage(scene)
  const add = async (round: number) => {
    const files = Array.from({ length: 16 }, (_, at) => ({
      path: `directory ${round} with a long name/a file with a name that is long too ${at}.txt`,
      content: 'x',
    }))
    await call('write_file', { files })
    return call('git', { action: 'add', max_tokens: 256 })
  }
  const first = await add(0)
  for (let round = 1; round <= 32; round += 1) await add(round)
  const before = await state()
  const refused = await call('git', { action: 'add', cursor: first.facts?.cursor })
  expect(textOf(refused)).toBe(
    'answer_gone: The rest of that answer is not stored any more; the call was not made again, and nothing was changed. Check the current state with history, git status or list_dir.',
  )
  expect(await state()).toEqual(before)
})

test('stored answers are bounded in number, length and age', () => {
  let ms = 0
  const reply = (row: string) => ({ rows: { all: [row], what: 'lines', empty: '' }, facts: {} })
  const few = createAnswers({ answers: 2 }, () => ms)
  const names = ['a', 'b', 'c'].map((row) => few.store(reply(row)) ?? '')
  expect(names.map((name) => few.find(name)?.rows?.all)).toEqual([undefined, ['b'], ['c']])
  const short = createAnswers({ units: 100 }, () => ms)
  expect(short.store(reply('x'.repeat(100)))).toBeUndefined()
  const [one = '', two = ''] = [short.store(reply('x'.repeat(40))), short.store(reply('y'.repeat(40)))]
  expect([short.find(one), short.find(two)?.rows?.all]).toEqual([undefined, ['y'.repeat(40)]])
  const young = createAnswers({ ageMs: 10 }, () => ms)
  const name = young.store(reply('x')) ?? ''
  ms = 10
  expect(young.find(name)?.rows?.all).toEqual(['x'])
  ms = 11
  expect(young.find(name)).toBeUndefined()
})

function propertiesOf({ properties }: JsonSchema): object {
  return properties as object
}

function nameOf(tool: string, args: object): string {
  const { action } = args as { action?: string }
  return action === undefined ? tool : `${tool} ${action}`
}

function changes({ tool, args }: Scene): boolean {
  const { action, name, dry_run } = args as { action?: string; name?: string; dry_run?: boolean }
  if (action === 'branch') return name !== undefined
  return dry_run !== true && !['list', 'diff', 'status', 'log', 'show'].includes(action ?? tool)
}

async function stage({ first = [] }: Scene) {
  const fs = memory({ 'README.md': 'hello\n' })
  let ms = 1_700_000_000_000
  const workspace = createWorkspace({ fs, now: () => ms++ })
  const call = (tool: string, args: object): Promise<ToolResult> =>
    callTool(workspace, polyfs, tool, args, {
      onFault: (fault) => {
        throw fault
      },
    })
  for (const [tool, args] of first) expect((await call(tool, args)).isError ?? false).toBe(false)
  const state = async () => ({ tree: await snapshot(fs), records: await workspace.history.list() })
  return { call, state }
}

function textOf({ content }: ToolResult): string {
  return content.map(({ text = '' }) => text).join('\n')
}

function rowsOf({ content: [first] }: ToolResult): string[] {
  return (first?.text ?? '').split('\n')
}

/** Hashes and ids differ from one stage to the other, and a row longer than a page is cut. */
function withoutNames(row: string): string {
  return row
    .replace(/[0-9a-f]{7,}/g, '#')
    .replace(/\d\d:\d\d:\d\d/, '#')
    .slice(0, 60)
}
