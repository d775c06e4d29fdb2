/** Checks whether names are valid or portable. */

import { isFsError } from '../../../../src/errors.js'
import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quoted, quotedName, shownName } from '../../quoting.js'
import { requireOperand } from '../shared/usage.js'

const portable = { name: 14, path: 256 }
const usual = { name: 255, path: 4096 }

export const pathchk = defineProgram({
  name: 'pathchk',
  usage: '[OPTION]... NAME...',
  options: { posix: { names: ['-p'] }, extra: { names: ['-P'] }, portability: { names: ['--portability'] } },
  async run(io, given) {
    requireOperand(io, given.operands)
    const isPosix = given.has('posix') || given.has('portability')
    const isStrict = given.has('extra') || given.has('portability')
    let status = 0
    for (const path of given.operands) {
      const fault = await faultOf(io, path, isPosix, isStrict)
      if (fault === undefined) continue
      await io.error(fault)
      status = 1
    }
    return status
  },
})

async function faultOf(io: ProgramIo, path: string, isPosix: boolean, isStrict: boolean): Promise<string | undefined> {
  if (isStrict && path.split('/').some((name) => name.startsWith('-'))) {
    return `leading '-' in a component of file name ${quotedName(path)}`
  }
  if (path === '') return isPosix || isStrict ? 'empty file name' : "'': No such file or directory"
  const [bad] = isPosix ? (/[^A-Za-z0-9._\-/]/u.exec(path) ?? []) : []
  if (bad !== undefined) return `nonportable character ${quoted(bad)} in file name ${quotedName(path)}`
  const limits = isPosix ? portable : usual
  const length = encodeText(path).length
  if (length >= limits.path)
    return `limit ${limits.path - 1} exceeded by length ${length} of file name ${quotedName(path)}`
  for (const name of path.split('/')) {
    const size = encodeText(name).length
    if (size > limits.name)
      return `limit ${limits.name} exceeded by length ${size} of file name component ${quotedName(name)}`
  }
  if (isPosix) return undefined
  try {
    await io.fs.lstat(path)
    return undefined
  } catch (error) {
    return isFsError(error, 'NOT_FOUND') ? undefined : `${shownName(path)}: ${describeError(error)}`
  }
}
