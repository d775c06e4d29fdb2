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
    const wrong: string[] = []
    for (const operand of operands) {
      const duration = parseDuration(operand)
      if (duration === undefined) wrong.push(`invalid time interval ‘${operand}’`)
      else total += duration
    }
    if (wrong.length > 0) throw new UsageError(wrong.join(`\n${io.name}: `))
    await waitFor(io, total)
    return 0
  },
})
