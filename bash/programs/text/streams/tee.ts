/** Copies standard input to standard output and to files. */

import { describeError } from '../../../io/describe-error.js'
import type { ByteWriter } from '../../../io/streams.js'
import { BrokenPipe } from '../../../io/streams.js'
import { choice } from '../../choice.js'
import { defineProgram } from '../../define-program.js'
import { shownName } from '../../quoting.js'

const failureWords = { warn: 'warn', 'warn-nopipe': 'warn-nopipe', exit: 'exit', 'exit-nopipe': 'exit-nopipe' }

export const tee = defineProgram({
  name: 'tee',
  usage: '[OPTION]... [FILE]...',
  options: {
    append: { names: ['-a', '--append'] },
    ignoreInterrupts: { names: ['-i', '--ignore-interrupts'] },
    diagnose: { names: ['-p'] },
    outputError: { names: ['--output-error'], value: 'optional' },
  },
  async run(io, given) {
    let status = 0
    const writers: ByteWriter[] = []
    for (const name of given.operands) {
      try {
        writers.push(await io.fs.openWrite(name, { append: given.has('append') }))
      } catch (error) {
        await io.error(`${shownName(name)}: ${describeError(error)}`)
        status = 1
      }
    }
    const whenFailing = given.value('outputError')
    if (whenFailing !== undefined) choice(io, '--output-error', whenFailing, failureWords)
    const goesOn = given.has('diagnose') || given.has('outputError')
    let isOpen = true
    for (let chunk = await io.stdin.read(); chunk !== undefined; chunk = await io.stdin.read()) {
      for (const writer of writers) await writer.write(chunk)
      if (!isOpen) continue
      try {
        await io.stdout.write(chunk)
        await io.stdout.flush()
      } catch (error) {
        if (!goesOn || !(error instanceof BrokenPipe)) throw error
        isOpen = false
      }
    }
    for (const writer of writers) await writer.close()
    return status
  },
})
