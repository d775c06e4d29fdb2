import { expect, test } from 'vitest'
import { isMachineBusy } from '../../../node/cli/machine-load.js'

test('a machine is busy when every processor has something to do', () => {
  expect(isMachineBusy({ load: 1.99, processors: 2 })).toBe(false)
  expect(isMachineBusy({ load: 2, processors: 2 })).toBe(true)
  expect(isMachineBusy({ load: 0, processors: 64 })).toBe(false)
})
