/** What an episode may hold in memory, and what an agent sees when that is used up. */
import { describe, expect, test } from 'vitest'
import { scripted } from '../../harness/agents/scripted.js'
import { openEpisode } from '../../harness/episode/episode.js'
import { episodeMemory } from '../../harness/episode/episode-memory.js'
import { runEpisode } from '../../harness/run-episode.js'
import { fileChecks } from '../../harness/tasks/scorers/file-checks.js'
import { testScript } from '../../harness/tasks/scorers/test-script.js'
import { replayTrace } from '../../harness/trace/replay.js'
import type { Episode, EpisodeOptions } from '../../harness/types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { built } from '../node/cli/built.js'
import { scaled, seeded } from '../scale.js'

const kB = 1024
const files = { '/a.txt': 'one\n' }
const open = (options: Partial<EpisodeOptions> = {}) => openEpisode({ files, maxBytes: 800 * kB, ...options })

async function write(episode: Episode, path: string, bytes: number): Promise<string> {
  return episode.tools.callText('write_file', { path, content: 'x'.repeat(bytes) })
}

test('a write beyond it fails as on a full disk, and works again once something was deleted', async () => {
  const episode = await open({ maxBytes: 2000 * kB })
  const before = await episode.stateHash()
  const texts: string[] = []
  for (let number = 0; number < 6; number += 1) texts.push(await write(episode, `${number}.txt`, 150 * kB))
  const full = (number: number) =>
    `no_space: No space is left for ${number}.txt. Delete what is not needed, then try again.`
  expect(texts.map((text, number) => text === full(number))).toEqual([false, false, false, false, true, true])
  expect(episode.exhausted).toBe(undefined)
  for (let number = 0; number < 4; number += 1) await episode.tools.callText('delete', { path: `${number}.txt` })
  expect(await episode.stateHash()).toBe(before)
  await write(episode, 'again.txt', 40 * kB)
  expect(await episode.changes()).toEqual([{ path: '/again.txt', change: 'added', kind: 'file' }])
})

test('the trace counts: when no call can be recorded any more, the rest is refused, and the current state is scored', async () => {
  const calls = Array.from({ length: 40 }, () => ({
    tool: 'write_file',
    args: { path: 'a.txt', content: 'y'.repeat(50 * kB) },
  }))
  const task = { id: 't', instruction: '', files, score: [fileChecks([{ path: 'a.txt', text: 'y' }])] }
  const job = { run: 'r', task: 't', agent: 'scripted', trial: 1, seed: 1 }
  const result = await runEpisode({ task, agent: scripted(calls), job, maxBytes: 800 * kB })
  expect(result).toMatchObject({ outcome: 'passed', usage: { calls: 12 } })
  const failing = { ...task, score: [fileChecks([{ path: 'b.txt', present: true }])] }
  expect(await runEpisode({ task: failing, agent: scripted(calls), job, maxBytes: 800 * kB })).toMatchObject({
    outcome: 'budget',
    reason: 'its memory is used up',
  })
})

test('an episode that is full can be judged: nobody gains by filling it', { timeout: 60_000 }, async () => {
  const fill = [200, 100, 50, 20, 10, 5, 2].map((size) => ({
    tool: 'write_file',
    args: { path: `${size}.txt`, content: 'x'.repeat(size * kB) },
  }))
  const tests = {
    'test.sh': 'mkdir -p /logs/verifier; head -c 300000 /dev/zero > /tmp/a; echo 0 > /logs/verifier/reward.txt\n',
  }
  const task = {
    id: 't',
    instruction: '',
    files,
    score: [testScript({ tests })],
    options: { shell: emulatedShell({ worker: built('node/emulated-worker.js') }) },
  }
  const job = { run: 'r', task: 't', agent: 'scripted', trial: 1, seed: 1 }
  const result = await runEpisode({ task, agent: scripted(fill), job, maxBytes: 800 * kB })
  expect(result).toMatchObject({ outcome: 'failed', value: 0 })
  expect(result.trace).toContain('no_space')
})

test('an agent that goes on reads that nothing further is possible', async () => {
  const episode = await open({ maxBytes: 80 * kB })
  await episode.tools.callText('read_file', { path: 'x'.repeat(100 * kB) })
  expect(episode.exhausted).toBe('memory')
  expect(await episode.tools.callText('read_file', { path: 'a.txt' })).toBe(
    'The memory of this task is used up: 81920 bytes. No further call is possible; finish with what you have.',
  )
  expect(episode.trace.events).toHaveLength(1)
})

test('what the history keeps is bounded with it', async () => {
  const episode = await open({ maxBytes: 20_000 * kB })
  for (let number = 0; number < 60; number += 1) await write(episode, 'a.txt', 200 * kB)
  let kept = 0
  for (const { id, steps } of await episode.workspace.changes.journal.history()) {
    for (const { from } of steps as { from?: { hash?: string } }[]) {
      const bytes =
        from?.hash === undefined ? undefined : await episode.workspace.changes.journal.content(id, from.hash)
      kept += bytes?.length ?? 0
    }
  }
  expect(kept).toBeLessThanOrEqual(2500 * kB * 1.25)
})

test('commands, their temporary files and directories count too', { timeout: 60_000 }, async () => {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const episode = await open({ shell })
  const run = (command: string) => episode.tools.callText('bash', { command })
  expect(await run('head -c 700000 /dev/zero > /tmp/big; echo $?; ls /tmp')).toMatch(/No space left on device/)
  expect(await run('head -c 700000 /dev/zero > big; echo done')).toMatch(/no.space/i)
  expect((await episode.changes()).map(({ path }) => path)).toEqual([])
  expect(await run('for i in $(seq 2000); do mkdir d$i; done')).toMatch(/no.space/i)
  await episode.close()
})

test('the same calls end at the same point, also when they are replayed, in forks, and with faults', async () => {
  const random = seededRandom(seeded(3))
  for (let round = 0; round < scaled(40); round += 1) {
    const calls = Array.from({ length: 60 }, () => {
      const path = `${Math.floor(random() * 6)}.txt`
      if (random() < 0.2) return { tool: 'delete', args: { path } }
      return {
        tool: 'write_file',
        args: { path, content: 'z'.repeat(Math.floor(random() * 60 * kB)), overwrite: true },
      }
    })
    const faults = random() < 0.3 ? { faults: { rate: 0.1 } } : {}
    const options = { maxBytes: 1000 * kB, ...faults }
    const [one, other] = [await open(options), await open(options)]
    let forked = other
    for (const [index, { tool, args }] of calls.entries()) {
      await one.tools.callText(tool, args)
      await forked.tools.callText(tool, args)
      if (index % 10 === 5) forked = forked.fork()
    }
    expect(forked.trace.transcriptHash()).toBe(one.trace.transcriptHash())
    expect(forked.exhausted).toBe(one.exhausted)
    const again = await replayTrace(one.trace.toJsonl(), { files })
    expect(again.trace.transcriptHash()).toBe(one.trace.transcriptHash())
    const said = JSON.stringify(one.trace.events)
    expect(said.includes('no_space') || one.exhausted === 'memory').toBe(true)
  }
})

describe('a room that several share', () => {
  test('is given back, whatever the order in which forks are closed', () => {
    const random = seededRandom(seeded(5))
    for (let round = 0; round < 200; round += 1) {
      const shared = roomFor(1_000_000)
      const held = [episodeMemory({ maxBytes: 100_000, shared })]
      for (let step = 0; step < 60; step += 1) {
        const at = Math.floor(random() * held.length)
        const one = held[at]
        const what = random()
        if (one === undefined) held.push(episodeMemory({ maxBytes: 100_000, shared }))
        else if (what < 0.2) held.push(one.fork())
        else if (what < 0.35) held.splice(at, 1)[0]?.release()
        else one.files.take(Math.max(-one.files.usedBytes, Math.floor((random() - 0.3) * 20_000)))
        // Nobody holds more than is counted.
        expect(Math.max(0, ...held.map(({ files: { usedBytes } }) => usedBytes))).toBeLessThanOrEqual(shared.usedBytes)
      }
      for (const one of held) one.release()
      expect(shared.usedBytes).toBe(0)
    }
  })

  test('makes an episode that meets its end one that says nothing about the agent', async () => {
    const episode = await open({ sharedRoom: roomFor(100 * kB) })
    expect(await write(episode, 'b.txt', 90 * kB)).toMatch(/^no_space/)
    expect(episode.disturbed).toBe('the memory that it shares with other episodes was used up')
  })
})

test('a change that fails halfway gives back what it took', async () => {
  const room = roomFor(10_000)
  const fs = memory({}, { room })
  const { atomic } = fs.transactional ?? {}
  const bytes = new Uint8Array(4000)
  const write = (path: string) => ({ do: 'write' as const, path, bytes, hash: '' })
  expect(() => atomic?.apply([write('/a'), write('/b'), write('/c')])).toThrow('NO_SPACE')
  expect([room.usedBytes, await fs.readDir('/')]).toEqual([0, []])
  atomic?.apply([write('/a'), write('/b')])
  expect(room.usedBytes).toBe(8000)
})
