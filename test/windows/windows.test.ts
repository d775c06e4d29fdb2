/**
 * Node for Windows in wine: every case of every dialect, the contract on its disk, and paths that try to get out. Only
 * `npm test -- --windows` runs it.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeVectors } from '../dialects/vectors/suite.js'
import { built } from '../node/cli/built.js'
import { contractInWine, wineUnfit } from './unfit.js'
import { windowsBackend, wineCrashed } from './windows-backend.js'
import { startWindows, toWindows, type Windows } from './wine.mjs'

/** The contract in wine takes minutes. */
const patienceMs = 1_200_000

const isWanted = process.env.POLYFS_TEST_WINDOWS !== undefined

describe.runIf(isWanted)('Windows', { retry: { count: 3, condition: wineCrashed } }, () => {
  let windows: Windows
  beforeAll(async () => {
    built('node/cli.js')
    windows = await startWindows()
  })
  afterAll(async () => {
    console.log(`wine crashed ${windows?.crashes()} times; what it broke was played again`)
    await windows?.close()
  })

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
    if (first === '') throw new Error('the connection to Windows was lost')
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

  test('takes all spellings of a name for one file, and renames by case', { timeout: patienceMs }, async () => {
    const [before, after] = [
      ['Src', 'Src\\a.txt', 'readme.md'],
      ['README.md', 'Src', 'Src\\a.txt'],
    ]
    expect(await report('names.mjs')).toEqual({
      before,
      renamed: after,
      undone: before,
      directory: ['readme.md', 'src', 'src\\a.txt'],
      edited: ['readme.md', 'src', 'src\\a.txt'],
      read: '1\tb',
      changes: 1,
      state: 1,
    })
  })

  describeVectors(windowsBackend(() => windows, wineUnfit))
})
