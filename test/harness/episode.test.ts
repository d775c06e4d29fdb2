import { describe, expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import type { Episode, TraceCall, TraceEvent } from '../../harness/types.js'
import { clarvis } from '../../src/dialects/clarvis/tools.js'
import { fileEditor } from '../../src/dialects/file-editor/tools.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { textOf } from '../../src/dialects/tool-definitions.js'
import { memory } from '../../src/fs/backends/memory.js'
import { callTool } from '../../src/tools/call-tool.js'

const files = { 'a.txt': 'one\ntwo\n', 'src/b.txt': 'b\n', 'src/c.txt': 'c\n' }

async function text(episode: Episode, tool: string, args: unknown): Promise<string> {
  return textOf(await episode.tools.call(tool, args))
}

describe('an episode', () => {
  test('records each call with its result and the state after it', async () => {
    const episode = await openEpisode({ files })
    const before = await episode.stateHash()
    await text(episode, 'read_file', { path: 'a.txt' })
    await text(episode, 'write_file', { path: 'new.txt', content: 'new\n' })
    const [header, read, write] = episode.trace.events as [TraceEvent, TraceCall, TraceCall]
    expect(header).toMatchObject({ type: 'header', seed: 1, dialect: 'polyfs', root: '/', stateHash: before })
    expect(read).toMatchObject({ type: 'call', step: 1, tool: 'read_file', args: { path: 'a.txt' }, stateHash: before })
    expect(write).toMatchObject({ step: 2, stateHash: await episode.stateHash() })
    expect(write.stateHash).not.toBe(before)
    expect(JSON.stringify(read.result)).toContain('one')
  })

  test('records a call of a tool that does not exist, and one that fails', async () => {
    const episode = await openEpisode({ files })
    expect(await text(episode, 'no_such_tool', { x: 1 })).toContain('no_such_tool')
    await text(episode, 'read_file', { path: 'absent' })
    const calls = episode.trace.events.slice(1) as TraceCall[]
    expect(calls.map(({ tool, step }) => [tool, step])).toEqual([
      ['no_such_tool', 1],
      ['read_file', 2],
    ])
    for (const { result } of calls) expect(result).toMatchObject({ isError: true })
  })

  test('names what differs from the beginning, with renames', async () => {
    const episode = await openEpisode({ files })
    expect(await episode.changes()).toEqual([])
    await text(episode, 'move', { from: 'src', to: 'lib' })
    await text(episode, 'edit_file', { path: 'a.txt', edits: [{ old: 'one', new: 'ONE' }] })
    await text(episode, 'write_file', { path: 'd/e.txt', content: 'e' })
    expect(await episode.changes()).toEqual([
      { path: '/a.txt', change: 'modified', kind: 'file' },
      { path: '/d', change: 'added', kind: 'directory' },
      { path: '/d/e.txt', change: 'added', kind: 'file' },
      { path: '/lib', change: 'added', kind: 'directory' },
      { path: '/lib/b.txt', change: 'renamed', from: '/src/b.txt', kind: 'file' },
      { path: '/lib/c.txt', change: 'renamed', from: '/src/c.txt', kind: 'file' },
      { path: '/src', change: 'deleted', kind: 'directory' },
    ])
  })

  test('never writes to the files that it was opened on, and does not see later changes of them', async () => {
    const tree = memory(files)
    const episode = await openEpisode({ files: tree })
    await text(episode, 'delete', { path: 'a.txt' })
    expect(await tree.stat('/a.txt')).toMatchObject({ kind: 'file' })
    const next = await openEpisode({ files: tree })
    expect(await next.changes()).toEqual([])
    expect(await next.workspace.fs.stat('/a.txt')).toMatchObject({ modifiedMs: Date.UTC(2026, 0, 1) })
  })

  test('starts with the same state whatever the times and the umask of the files were', async () => {
    const one = memory(files, { now: () => 5 })
    const other = memory(files, { now: () => 7 })
    for (const path of ['/a.txt', '/src/b.txt']) await other.setMode?.(path, 0o664)
    await other.setMode?.('/src', 0o700)
    const hashes = [one, other, files].map(async (source) => (await openEpisode({ files: source })).stateHash())
    expect(new Set(await Promise.all(hashes)).size).toBe(1)
  })

  test('runs calls one at a time, in the order in which they arrive', async () => {
    const episode = await openEpisode({ files })
    const names = Array.from({ length: 20 }, (_, index) => `f${index}.txt`)
    await Promise.all(names.map((path) => episode.tools.call('write_file', { path, content: path })))
    const calls = episode.trace.events.slice(1) as TraceCall[]
    expect(calls.map(({ args }) => (args as { path: string }).path)).toEqual(names)
    expect(calls.map(({ step }) => step)).toEqual(names.map((_, index) => index + 1))
  })

  test('refuses calls when its budget is used up, and says so', async () => {
    const episode = await openEpisode({ files, budget: { calls: 2 } })
    for (let turn = 0; turn < 2; turn += 1) await text(episode, 'read_file', { path: 'a.txt' })
    expect(episode.exhausted).toBe('calls')
    expect(await text(episode, 'write_file', { path: 'x', content: '' })).toMatch(/used up: 2 calls/)
    expect(await episode.changes()).toEqual([])
    expect(episode.trace.events).toHaveLength(3)
  })

  test('counts turns, tokens and bytes', async () => {
    const episode = await openEpisode({ files, budget: { turns: 2, tokens: 100 } })
    episode.trace.add({ type: 'message', role: 'user', text: 'go' })
    episode.trace.add({ type: 'message', role: 'assistant', text: 'a', usage: { inputTokens: 30, outputTokens: 10 } })
    expect(episode.exhausted).toBeUndefined()
    episode.trace.add({ type: 'message', role: 'assistant', text: 'b', usage: { inputTokens: 50, outputTokens: 10 } })
    expect(episode.exhausted).toBe('turns')
    const small = await openEpisode({ files, budget: { bytes: 10 } })
    await text(small, 'read_file', { path: 'a.txt' })
    expect(small.exhausted).toBe('bytes')
  })

  test('refuses a shell that belongs to another workspace', async () => {
    const shell = {} as never
    await expect(openEpisode({ files, shell })).rejects.toThrow(/must be a function/)
  })

  test('counts relative paths from its root, and reaches all of the tree', async () => {
    const episode = await openEpisode({ files, root: '/src' })
    expect(await text(episode, 'read_file', { path: 'b.txt' })).toContain('b')
    expect(await text(episode, 'read_file', { path: '/a.txt' })).toContain('one')
  })
})

describe('a fork', () => {
  test('goes on from the same point, and changes only itself', async () => {
    const episode = await openEpisode({ files })
    await text(episode, 'write_file', { path: 'x.txt', content: '1' })
    const fork = episode.fork()
    await text(fork, 'write_file', { path: 'x.txt', content: '2' })
    expect(await text(episode, 'read_file', { path: 'x.txt' })).toContain('1')
    expect(fork.trace.events).toHaveLength(3)
    await text(fork, 'history', { action: 'undo' })
    expect(await fork.stateHash()).toBe(await episode.stateHash())
    await text(fork, 'history', { action: 'undo' })
    expect(await fork.changes()).toEqual([])
    expect(await episode.changes()).toHaveLength(1)
  })

  test('is refused while a call runs', async () => {
    const episode = await openEpisode({ files })
    const tool = episode.dialect.tools.find(({ name }) => name === 'list_dir')
    const running = tool?.call({ path: '.' }, episode.workspace, {})
    expect(() => episode.fork()).toThrow(/between calls/)
    await running
    expect(() => episode.fork()).not.toThrow()
  })

  test('keeps the directory that the agent has chosen', async () => {
    const episode = await openEpisode({ files, dialect: fileEditor })
    expect(await text(episode, 'set_workspace', { path: '/src' })).toContain('Successfully')
    const calls: [string, unknown][] = fileEditor.tools.map(({ name }) => [name, { path: 'b.txt' }])
    const fork = episode.fork()
    for (const [tool, args] of calls) {
      const results = await Promise.all([episode, fork].map((one) => one.tools.call(tool, args).catch(String)))
      expect(results[1]).toEqual(results[0])
    }
    expect(fork.trace.transcriptHash()).toBe(episode.trace.transcriptHash())
  })

  test('has another randomness when it is given another seed', async () => {
    const episode = await openEpisode({ files })
    const [same, other] = [episode.fork(), episode.fork({ seed: 2 })]
    const next = episode.workspace.random()
    expect(same.workspace.random()).toBe(next)
    expect(other.workspace.random()).not.toBe(next)
  })
})

describe.each([polyfs, clarvis])('a read with $name', (dialect) => {
  const calls = [{ path: '/a.txt' }, { path: '/absent.txt' }, { path: 7 }, { path: '/link' }]

  test('is the same whether it has to wait or not, and is recorded each time', async () => {
    const files = memory({ '/a.txt': 'one\ntwo\n' })
    await files.symlink?.('a.txt', '/link')
    for (const args of calls) {
      const episode = await openEpisode({ files, dialect })
      // The first call waits for the workspace.
      const [first, second] = [await outcome(episode, args), await outcome(episode, args)]
      expect(second).toEqual(first)
      const [one, two] = episode.trace.events.filter((event) => event.type === 'call')
      expect({ ...two, step: 1, wallMs: 0 }).toEqual({ ...one, wallMs: 0 })
      await episode.close()
    }
  })
})

async function outcome({ workspace, dialect }: Episode, args: object): Promise<unknown> {
  return callTool(workspace, dialect, 'read_file', args).catch((error) => error)
}
