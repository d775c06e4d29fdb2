import { expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { replayTrace } from '../../harness/trace/replay.js'
import type { Episode, TraceCall } from '../../harness/types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { textOf } from '../../src/dialects/tool-definitions.js'
import type { Shell } from '../../src/shell/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { built } from '../node/cli/built.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' }

async function bash(episode: Episode, command: string): Promise<string> {
  return textOf(await episode.tools.call('bash', { command }))
}

test('sleep moves the clock of the episode, and takes no time', async () => {
  const episode = await openEpisode({ files, shell })
  const began = Date.now()
  expect(await bash(episode, 'sleep 90; date -u +%H:%M:%S; echo x > /tmp/t; date -r /tmp/t +%H:%M')).toMatch(
    /00:01:3\d\n00:01/,
  )
  expect(Date.now() - began).toBeLessThan(60_000)
  expect(await bash(episode, 'date -u +%H:%M')).toContain('00:01')
  await bash(episode, 'touch c.txt')
  const { modifiedMs } = await episode.workspace.fs.stat('/c.txt')
  expect(modifiedMs).toBeGreaterThan(Date.UTC(2026, 0, 1, 0, 1, 30))
  await episode.close()
})

test('a command that sleeps longer than it may is ended at that time of its own clock', async () => {
  const episode = await openEpisode({ files, shell })
  expect(await bash(episode, 'sleep 3600; echo never')).toContain('ended after 120000 ms')
  expect(episode.disturbed).toBeUndefined()
  expect(await bash(episode, 'date -u +%H:%M')).toContain('00:02')
  await episode.close()
})

test('an endless loop is ended by a count, the same in a replay, and disturbs nothing', async () => {
  const episode = await openEpisode({ files, shell, maxStatements: 5000 })
  await bash(episode, 'i=0; while :; do i=$((i+1)); echo $i > n; done')
  expect(episode.disturbed).toBeUndefined()
  const again = await replayTrace(episode.trace, { files, shell })
  expect(again.trace.transcriptHash()).toBe(episode.trace.transcriptHash())
  expect(await bash(again, 'cat n')).toMatch(/\d+/)
  await episode.close()
  await again.close()
})

test('a command that the machine ends makes the run one that says nothing', async () => {
  const none = { bytes: new Uint8Array(), cut: false }
  const slow = (workspace: Workspace): Shell => ({
    ...shell(workspace),
    exec: async () => ({ ended: 'timeout', byWallClock: true, stdout: none, stderr: none }),
  })
  const episode = await openEpisode({ files, shell: slow })
  await bash(episode, 'sleep 1')
  expect(episode.disturbed).toBe("a command was ended by the machine's clock: sleep 1")
  expect(episode.fork().disturbed).toBe(episode.disturbed)
})

test('variables of the task are set for every command', async () => {
  const episode = await openEpisode({ files, shell, env: { GREETING: 'hello there' } })
  expect(await bash(episode, 'echo $GREETING')).toContain('hello there')
  const again = await replayTrace(episode.trace, { files, shell })
  expect(again.trace.transcriptHash()).toBe(episode.trace.transcriptHash())
  await episode.close()
  await again.close()
})

test('injected faults are in the trace, and the same in a fork and in a replay', async () => {
  const faults = { rate: 0.5, operations: ['readFile', 'writeFile'] as const }
  const episode = await openEpisode({ files, faults, seed: 3 })
  const calls = async (one: Episode) => {
    for (const path of ['a.txt', 'b.txt', 'a.txt', 'b.txt']) {
      await one.tools.call('read_file', { path })
      await one.tools.call('write_file', { path: `new-${path}`, content: 'x', overwrite: true })
    }
  }
  await calls(episode)
  const fork = episode.fork()
  await calls(episode)
  await calls(fork)
  expect(fork.trace.transcriptHash()).toBe(episode.trace.transcriptHash())
  const made = episode.trace.events.filter((event): event is TraceCall => event.type === 'call')
  const failed = made.filter(({ result }) => 'isError' in result && result.isError)
  expect(failed.length).toBeGreaterThan(2)
  expect(failed.length).toBeLessThan(made.length)
  expect(made.some(({ faults: injected }) => injected?.some(({ code }) => code === 'IO'))).toBe(true)
  const again = await replayTrace(episode.trace, { files })
  expect(again.trace.transcriptHash()).toBe(episode.trace.transcriptHash())
})
