/** Waits. */
import { defineProgram } from '../define-program.js'
import { UsageError } from '../program-error.js'
import { parseDuration, waitFor } from './duration.js'

export const sleep = defineProgram({
  name: 'sleep',
  usage: 'NUMBER[SUFFIX]...',
  options: {},
  async run(io, { operands }) {
    if (operands.length === 0) throw new UsageError('missing operand')
    let total = 0
    for (const operand of operands) {
      const duration = parseDuration(operand)
      if (duration === undefined) throw new UsageError(`invalid time interval ‘${operand}’`)
      total += duration
    }
    await waitFor(io, total)
    return 0
  },
})
