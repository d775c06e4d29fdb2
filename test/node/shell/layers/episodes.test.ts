/** Episodes whose commands run programs of the machine. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { scripted } from '../../../../harness/agents/scripted.js'
import { openEpisode } from '../../../../harness/episode/episode.js'
import { runEpisode } from '../../../../harness/run-episode.js'
import { summarize } from '../../../../harness/statistics/summary.js'
import { ReplayError, replayTrace } from '../../../../harness/trace/replay.js'
import type { Episode, EpisodeOptions } from '../../../../harness/types.js'
import { scaled } from '../../../scale.js'
import { layersLack, layersWork, sharedShell } from './stage.js'

const files = { 'a.txt': 'one\n', 'sub/b.txt': 'two\n' }

async function open(options: Partial<EpisodeOptions> = {}): Promise<Episode> {
  const episode = await openEpisode({ files, shell: sharedShell, ...options })
  onTestFinished(() => episode.close())
  return episode
}

const bash = async ({ tools }: Episode, command: string) => tools.callText('bash', { command })

describe.skipIf(!layersWork)(`episodes in the real tier${layersWork ? '' : ` (${layersLack})`}`, () => {
  test('have commands that run programs of the machine, beside the same tools', async () => {
    const episode = await open()
    expect(await bash(episode, 'sed -i s/one/ONE/ a.txt; ls /usr/bin/env')).toContain('/usr/bin/env')
    await episode.tools.call('edit_file', { path: 'sub/b.txt', old_string: 'two', new_string: 'TWO' })
    expect(await bash(episode, 'cat a.txt sub/b.txt')).toContain('ONE\nTWO\n')
    expect((await episode.changes()).map(({ path }) => path)).toEqual(['/a.txt', '/sub/b.txt'])
    expect(episode.trace.header.tier).toBe('real')
  })

  test('are forked between calls, and neither sees what the other does', async () => {
    const episode = await open()
    await bash(episode, 'echo before > before')
    const fork = episode.fork()
    await Promise.all([bash(episode, 'echo x > ours'), bash(fork, 'echo x > theirs; rm before')])
    expect(await bash(fork, 'ls -d before ours theirs 2>/dev/null')).toMatch(/^theirs\n/)
    expect(await bash(episode, 'ls -d before ours theirs 2>/dev/null')).toMatch(/^before\nours\n/)
    await fork.close()
  })

  test('are repeated by their states: output may differ, files may not', async () => {
    const episode = await open()
    await bash(episode, 'date +%N; echo kept > f')
    const again = await replayTrace(episode.trace.toJsonl(), { files, shell: sharedShell })
    expect(await again.stateHash()).toBe(await episode.stateHash())
    await again.close()
    const other = await open()
    await bash(other, 'date +%N > f')
    await expect(replayTrace(other.trace.toJsonl(), { files, shell: sharedShell })).rejects.toThrow(ReplayError)
  })

  test('are marked in results and statistics', async () => {
    const task = { id: 'one', instruction: '', files, score: [async () => [{ name: 'done', value: 1, reason: '' }]] }
    const agent = scripted([{ tool: 'bash', args: { command: 'true' } }])
    const job = { run: 'r', task: 'one', agent: 'a', trial: 1, seed: 1 }
    const result = await runEpisode({ task, agent, job, shell: sharedShell, retries: 0 })
    expect(result.tier).toBe('real')
    expect(summarize({ tasks: ['one'], trials: 1, results: [result], seed: 1 }).real).toBe(1)
  })

  test('many are open on one base, each with its own changes', async () => {
    const many = scaled(200)
    const episodes = await Promise.all(Array.from({ length: many }, () => open()))
    for (const [number, episode] of episodes.entries()) await bash(episode, `echo ${number} > own`)
    for (const [number, episode] of episodes.entries()) {
      expect(await bash(episode, 'cat own; ls')).toMatch(new RegExp(`^${number}\n`))
    }
  })
})
