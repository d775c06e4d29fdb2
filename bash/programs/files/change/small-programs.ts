/** Programs with little to do in a tree without hard links and disks. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { extraOperand, requireOperand, usageError } from '../shared/usage.js'

/** Everything written is handed over when a program ends. */
export const sync = defineProgram({
  name: 'sync',
  usage: '[OPTION] [FILE]...',
  options: { data: { names: ['-d', '--data'] }, fileSystem: { names: ['-f', '--file-system'] } },
  async run(io, given) {
    let status = 0
    for (const path of given.operands) {
      try {
        await io.fs.stat(path)
      } catch (error) {
        await io.error(`error opening ${quotedName(path)}: ${describeError(error)}`)
        status = 1
      }
    }
    return status
  },
})

export const unlink = defineProgram({
  name: 'unlink',
  usage: 'FILE',
  options: {},
  async run(io, given) {
    requireOperand(io, given.operands)
    const [path = '', extra] = given.operands
    if (extra !== undefined) throw extraOperand(io, extra)
    try {
      if ((await io.fs.lstat(path)).kind === 'directory')
        throw new ProgramError(`cannot unlink ${quotedName(path)}: Is a directory`)
      await io.fs.remove(path)
      return 0
    } catch (error) {
      if (error instanceof ProgramError) throw error
      throw new ProgramError(`cannot unlink ${quotedName(path)}: ${describeError(error)}`)
    }
  },
})

export const link = defineProgram({
  name: 'link',
  usage: 'FILE1 FILE2',
  options: {},
  async run(io, given) {
    requireTwo(io, given.operands)
    throw new ProgramError('hard links are not supported by this shell: use ln -s for a symbolic link, or cp', 2)
  },
})

function requireTwo(io: ProgramIo, operands: readonly string[]): void {
  requireOperand(io, operands)
  const [first = '', second, extra] = operands
  if (second === undefined) throw usageError(io, `missing operand after ${quoted(first)}`)
  if (extra !== undefined) throw extraOperand(io, extra)
}
