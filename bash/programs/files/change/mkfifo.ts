import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName } from '../../quoting.js'
import { applyMode, type ModeChanges, requireMode } from '../shared/modes.js'
import { requireOperand } from '../shared/usage.js'

const options = { mode: { names: ['-m', '--mode'], value: 'required' } } as const

export const mkfifo = defineProgram({
  name: 'mkfifo',
  usage: '[OPTION]... NAME...',
  options,
  unsupported: ['-Z', '--context'],
  async run(io, given) {
    requireOperand(io, given.operands)
    const changes = modeChanges(io, given.value('mode'))
    let status = 0
    for (const path of given.operands) if (!(await makeOne(io, path, changes))) status = 1
    return status
  },
})

export const mknod = defineProgram({
  name: 'mknod',
  usage: '[OPTION]... NAME TYPE [MAJOR MINOR]',
  options,
  async run(io, given) {
    requireOperand(io, given.operands)
    const [path = '', type] = given.operands
    if (type !== 'p' || given.operands.length > 2) {
      throw new ProgramError('devices are not supported by this shell, only FIFOs (type p)', 2)
    }
    return (await makeOne(io, path, modeChanges(io, given.value('mode')))) ? 0 : 1
  },
})

function modeChanges(io: ProgramIo, mode: string | undefined): ModeChanges | undefined {
  return mode === undefined ? undefined : requireMode(mode, io.umask, 'invalid mode')
}

async function makeOne(io: ProgramIo, path: string, changes: ModeChanges | undefined): Promise<boolean> {
  try {
    await io.fs.makePipe(path)
    if (changes !== undefined) await io.fs.setMode(path, applyMode(changes, 0o666, false))
    return true
  } catch (error) {
    const what = io.name === 'mknod' ? quotedName(path) : `cannot create fifo ${quotedName(path)}`
    await io.error(`${what}: ${describeError(error)}`)
    return false
  }
}
