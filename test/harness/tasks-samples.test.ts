/** The sample tasks are sound: their solutions pass, doing nothing does not, and every run is the same. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { oracle } from '../../harness/agents/oracle.js'
import { nop } from '../../harness/agents/scripted.js'
import { loadSuite } from '../../harness/tasks/load-suite.js'
import { nodeFs } from '../../node/disk/node-fs.js'
import { sample } from '../scale.js'
import { runTask } from './run-task.js'

const { tasks, skipped } = await loadSuite(
  await nodeFs(fileURLToPath(new URL('../../examples/tasks', import.meta.url))),
  '/',
)

test('there are twelve, and all can be run', () => {
  expect([tasks.map(({ id }) => id), skipped]).toEqual([
    [
      'apply-patch',
      'crlf-edit',
      'csv-report',
      'find-and-delete',
      'fix-bug',
      'git-history',
      'json-config',
      'latin1-edit',
      'log-analysis',
      'refactor',
      'rename-function',
      'shell-pipeline',
    ],
    [],
  ])
})

describe.each(sample(tasks, { every: 2 }))('$id', (task) => {
  test('its solution scores 1, twice with the same transcript', async () => {
    const first = await runTask(task, oracle)
    expect(first.scores.filter(({ value }) => value < 1)).toEqual([])
    expect(first.value).toBe(1)
    const second = await runTask(task, oracle)
    const hashes = async ({ episode }: typeof first) => [await episode.stateHash(), episode.trace.transcriptHash()]
    expect(await hashes(second)).toEqual(await hashes(first))
  })

  test('doing nothing scores 0', async () => {
    expect((await runTask(task, nop)).value).toBe(0)
  })
})
