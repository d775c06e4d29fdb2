/** The same calls give the same transcript: answers, and the tree with all its times and bytes. */
import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { loadDialect } from '../../src/dialects/registry.js'
import { callTool } from '../../src/tools/call-tool.js'
import { built } from '../node/cli/built.js'
import { isFull } from '../scale.js'
import { calls } from './determinism/calls.mjs'
import { transcript } from './determinism/transcript.mjs'

const printer = fileURLToPath(new URL('./determinism/print-transcript.mjs', import.meta.url))
const dialects = ['clarvis', 'file-editor', 'fs', 'fs-context', 'polyfs', 'replay']

function inThisProcess() {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  return transcript({ openEpisode, loadDialect, callTool, shell })
}

/** In a process of its own, beside one that keeps a processor busy. */
async function underLoad(environment: Record<string, string>): Promise<string[]> {
  // By default other suites are the load.
  const busy = isFull ? spawn(process.execPath, ['-e', 'for (;;);']) : undefined
  try {
    const env = { PATH: process.env.PATH ?? '', ...environment }
    const { stdout } = await promisify(execFile)(process.execPath, [printer], { env, maxBuffer: 2 ** 28 })
    return JSON.parse(stdout)
  } finally {
    busy?.kill('SIGKILL')
  }
}

test('the calls cover all dialects', () => {
  expect(calls.length).toBeGreaterThan(80)
  expect([...new Set(calls.map(({ dialect }) => dialect))].sort()).toEqual(dialects)
})

test('the same in this process, at full length twice, and in another with other settings under load', async () => {
  const first = await inThisProcess()
  expect(first.answers.join()).toContain('2026-01-01')
  if (isFull) {
    const second = await inThisProcess()
    expect(second.answers).toEqual(first.answers)
    expect(second.hash).toBe(first.hash)
  }
  const settings = { TZ: 'America/St_Johns', LANG: 'de_DE.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'ja' }
  expect(await underLoad(settings)).toEqual(first.answers)
  if (isFull) expect(await underLoad({ TZ: 'Pacific/Kiritimati' })).toEqual(first.answers)
})
