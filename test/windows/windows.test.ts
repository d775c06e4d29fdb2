/**
 * Node for Windows in wine: every case of every dialect, the contract on its disk, and paths that try to get out. Only
 * `npm test -- --windows` runs it.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeVectors } from '../dialects/vectors/suite.js'
import { built } from '../node/cli/built.js'
import { contractInWine, wineUnfit } from './unfit.js'
import { windowsBackend } from './windows-backend.js'
import { toWindows } from './windows-paths.js'
import { startWindows, type Windows } from './wine.mjs'

const isWanted = process.env.POLYFS_TEST_WINDOWS !== undefined

describe.runIf(isWanted)('Windows', () => {
  let windows: Windows
  beforeAll(async () => {
    built('node/cli.js')
    windows = await startWindows()
  })
  afterAll(() => windows?.close())

  /** The report that a script prints as JSON. */
  async function report(script: string, ...args: string[]) {
    const file = fileURLToPath(new URL(script, import.meta.url))
    const socket = await windows.start({
      args: [toWindows(file), ...args],
      cwd: toWindows(fileURLToPath(new URL('.', import.meta.url))),
    })
    let said = ''
    for await (const chunk of socket) said += chunk
    const [first = '', last = ''] = said.trim().split('\n')
    if (last === '') throw new Error(first)
    return JSON.parse(first)
  }

  test('keeps the contract on a disk, but for what wine lacks', async () => {
    const { passed, failed } = await report('../runtimes/contract.mjs', 'walk')
    console.log(`contract on Windows: ${passed} passed, ${failed.length} that wine can't show`)
    const names = failed.map((one: string) => one.split(':')[0])
    expect(failed.filter((one: string) => !contractInWine.some((known) => one.startsWith(`${known}:`)))).toEqual([])
    expect(contractInWine.filter((known) => !names.some((name: string) => known.startsWith(name)))).toEqual([])
    expect(passed).toBeGreaterThan(200)
  })

  test('no path leads out of a root', async () => {
    const { tried, refused, escapes } = await report('attacks.mjs')
    console.log(`attacks on Windows: ${tried} tried, ${refused} refused, ${escapes.length} got out`)
    expect(escapes).toEqual([])
    expect(tried).toBeGreaterThan(1000)
  })

  describeVectors(windowsBackend(() => windows, wineUnfit))
})
