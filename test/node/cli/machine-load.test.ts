import { expect, test } from 'vitest'
import { isMachineBusy } from '../../../node/cli/machine-load.js'

test('a machine is busy when every processor has something else to do', () => {
  expect(isMachineBusy({ running: 2, load: 9, processors: 2 })).toBe(false)
  expect(isMachineBusy({ running: 3, load: 0, processors: 2 })).toBe(true)
})

test('where the system does not say that, the last minute counts', () => {
  expect(isMachineBusy({ running: Number.NaN, load: 1.99, processors: 2 })).toBe(false)
  expect(isMachineBusy({ running: Number.NaN, load: 2, processors: 2 })).toBe(true)
})

test.runIf(process.platform === 'linux')('Linux says how many threads run', () => {
  expect(isMachineBusy({ load: 0, processors: 0 })).toBe(true)
  expect(isMachineBusy({ load: 9, processors: 1_000_000 })).toBe(false)
})
