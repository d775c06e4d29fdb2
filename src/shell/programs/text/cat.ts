/** Concatenates files. */

import { defineProgram } from '../define-program.js'
import { describeError } from '../describe-error.js'

export const cat = defineProgram({
  name: 'cat',
  usage: '[OPTION]... [FILE]...',
  options: { number: { names: ['-n', '--number'] } },
  async run(io, { operands }) {
    let status = 0
    for (const name of operands.length > 0 ? operands : ['-']) {
      try {
        const reader = name === '-' ? io.stdin : await io.fs.openRead(name)
        for (let chunk = await reader.read(); chunk; chunk = await reader.read()) await io.stdout.write(chunk)
      } catch (error) {
        await io.error(`${name}: ${describeError(error)}`)
        status = 1
      }
    }
    return status
  },
})
