import { describe, expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { ReplayError, replayTrace } from '../../harness/trace/replay.js'
import { parseTrace, TraceError } from '../../harness/trace/trace.js'
import type { EpisodeOptions, TraceEvent } from '../../harness/types.js'
import { fs as fsDialect } from '../../src/dialects/fs/tools.js'

const files = { 'a.txt': 'one\ntwo\n', 'b/c.txt': 'c\n' }

async function recorded(options: Partial<EpisodeOptions> = {}) {
  const episode = await openEpisode({ files, seed: 7, task: 'sample', ...options })
  episode.trace.add({ type: 'message', role: 'user', text: 'do it' })
  await episode.tools.call('write_file', { path: 'n.txt', content: 'n\n' })
  await episode.tools.call('history', { action: 'checkpoint', point: 'here' })
  await episode.tools.call('edit_file', { path: 'a.txt', edits: [{ old: 'two', new: 'TWO' }] })
  await episode.tools.call('history', { action: 'list' })
  return episode
}

describe('a trace', () => {
  test('is the same when the same calls are made again', async () => {
    const [one, other] = [await recorded(), await recorded()]
    expect(one.trace.transcriptHash()).toBe(other.trace.transcriptHash())
    expect((await recorded({ seed: 8 })).trace.transcriptHash()).not.toBe(one.trace.transcriptHash())
  })

  test('is written event by event, and read back as it was', async () => {
    const events: TraceEvent[] = []
    const { trace } = await recorded({ onEvent: (event) => events.push(event) })
    expect(events).toEqual(trace.events)
    const read = parseTrace(trace.toJsonl())
    expect(read.events).toEqual(JSON.parse(JSON.stringify(trace.events)))
    expect(read.truncated).toBe(false)
  })

  test('is read up to its last whole line', async () => {
    const { trace } = await recorded()
    const text = trace.toJsonl()
    const read = parseTrace(text.slice(0, -10))
    expect(read.truncated).toBe(true)
    expect(read.events).toHaveLength(trace.events.length - 1)
    expect(parseTrace(text.slice(0, -1))).toMatchObject({ truncated: false })
  })

  test('is refused when it is something else, with the reason', () => {
    const options = '"dialect":"polyfs","root":"/","seed":1,"startMs":0,"stepMs":1,"budget":{},"limits":{}'
    const header = `{"type":"header","format":"polyfs-trace/1",${options}}`
    const cases: [string, RegExp][] = [
      ['', /it is empty/],
      ['{"type":"call","tool":"a","result":{}}\n', /first line must be the header/],
      ['{"type":"header","format":"polyfs-trace/9"}\n', /format is polyfs-trace\/9/],
      ['{"type":"header","format":"polyfs-trace/1"}\n', /line 1 is not an event/],
      [`${header}\nnonsense\n${header}\n`, /line 2 is not an event/],
      [`${header}\n{"type":"other"}\n`, /line 2 is not an event/],
    ]
    for (const [text, reason] of cases) {
      expect(() => parseTrace(text)).toThrow(reason)
      expect(() => parseTrace(text)).toThrow(TraceError)
    }
  })
})

describe('a replay', () => {
  test('ends in the same state, with the same transcript, and can go on', async () => {
    const original = await recorded()
    const again = await replayTrace(original.trace.toJsonl(), { files })
    expect(again.trace.transcriptHash()).toBe(original.trace.transcriptHash())
    expect(await again.stateHash()).toBe(await original.stateHash())
    for (const one of [original, again]) await one.tools.call('history', { action: 'restore', point: 'here' })
    expect(again.trace.transcriptHash()).toBe(original.trace.transcriptHash())
  })

  test('stops after as many calls as wanted', async () => {
    const original = await recorded()
    const again = await replayTrace(original.trace, { files, until: 1 })
    expect(again.trace.events.map(({ type }) => type)).toEqual(['header', 'message', 'call'])
    expect((await again.changes()).map(({ path }) => path)).toEqual(['/n.txt'])
  })

  test('finds its dialect by name', async () => {
    const original = await openEpisode({ files, dialect: fsDialect })
    await original.tools.call(fsDialect.tools[0]?.name ?? '', { path: '/a.txt' })
    await expect(original.tools.call('no_such_tool', {})).rejects.toThrow('tool not found')
    const again = await replayTrace(original.trace, { files })
    expect(again.trace.transcriptHash()).toBe(original.trace.transcriptHash())
  })

  test('stops at the first difference and shows it', async () => {
    const original = await recorded()
    const error = await replayTrace(original.trace, { files: { ...files, 'b/c.txt': 'other\n' } }).catch(
      (fault) => fault,
    )
    expect(error).toBeInstanceOf(ReplayError)
    expect(error).toMatchObject({ step: 0 })
    const text = original.trace.toJsonl().replace('TWO', 'too')
    const later = await replayTrace(text, { files }).catch((fault) => fault)
    expect(later).toMatchObject({ step: 3, name: 'ReplayError' })
    expect(later.message).toMatch(/^-.*/m)
  })
})
