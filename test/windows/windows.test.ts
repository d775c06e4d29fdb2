/**
 * Node for Windows in wine: every case of every dialect, the contract on its disk, and paths that try to get out. Only
 * `npm test -- --windows` runs it.
 */
import { afterAll, describe } from 'vitest'
import { describeVectors } from '../dialects/vectors/suite.js'
import { windowsUnfit } from './unfit.js'
import { windowsBackend } from './windows-backend.js'
import { startWindows } from './wine.mjs'

const isWanted = process.env.POLYFS_TEST_WINDOWS !== undefined
const windows = isWanted ? await startWindows() : undefined

describe.runIf(windows !== undefined)('Windows', () => {
  afterAll(() => windows?.close())
  const running = () => {
    if (windows === undefined) throw new Error('wine was not started')
    return windows
  }

  describeVectors(windowsBackend(running, windowsUnfit))
})
