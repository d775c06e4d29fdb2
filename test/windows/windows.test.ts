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
import { startWindows, toWindows, type Windows } from './wine.mjs'

/** Wine reads a directory for each name it looks up: one case with 5000 entries takes a minute. */
const patienceMs = 1_200_000

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

  test('keeps the contract on a disk, but for what is named', { timeout: patienceMs }, async () => {
    const { passed, failed } = await report('../runtimes/contract.mjs', 'walk')
    console.log(`contract on Windows: ${passed} passed, ${failed.length} that fail with a reason`)
    const isAbout = (name: string) => (failure: string) => failure.startsWith(`${name}: `)
    const known = Object.keys(contractInWine)
    expect(failed.filter((failure: string) => !known.some((name) => isAbout(name)(failure)))).toEqual([])
    expect(known.filter((name) => !failed.some(isAbout(name)))).toEqual([])
    expect(passed).toBeGreaterThan(190)
  })

  test('no path leads out of a root', { timeout: patienceMs }, async () => {
    const { tried, refused, escapes } = await report('attacks.mjs')
    console.log(`attacks on Windows: ${tried} tried, ${refused} refused, ${escapes.length} got out`)
    expect(escapes).toEqual([])
    expect(tried).toBeGreaterThan(1000)
  })

  describeVectors(windowsBackend(() => windows, wineUnfit))
})
