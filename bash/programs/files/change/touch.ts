/** Creates files and sets when they were modified. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { lstatIfThere, modifiedOf, statIfThere } from '../shared/facts.js'
import { parseTime } from '../shared/times.js'
import { usageError } from '../shared/usage.js'

const options = {
  access: { names: ['-a'] },
  noCreate: { names: ['-c', '--no-create'] },
  date: { names: ['-d', '--date'], value: 'required' },
  ignored: { names: ['-f'] },
  noDereference: { names: ['-h', '--no-dereference'] },
  modification: { names: ['-m'] },
  reference: { names: ['-r', '--reference'], value: 'required' },
  stamp: { names: ['-t'], value: 'required' },
  time: { names: ['--time'], value: 'required' },
} as const

export const touch = defineProgram({
  name: 'touch',
  usage: '[OPTION]... FILE...',
  options,
  async run(io, given) {
    const modified = await timeOf(io, given)
    if (given.operands.length === 0) throw usageError(io, 'missing file operand')
    const isAccessOnly = changesOnlyAccess(given)
    let status = 0
    for (const path of given.operands) {
      try {
        await touchOne(io, path, { modified, isAccessOnly, given })
      } catch (error) {
        if (error instanceof ProgramError) throw error
        await io.error(`${await verb(io, path)} ${quotedName(path)}: ${describeError(error)}`)
        status = 1
      }
    }
    return status
  },
})

async function verb(io: ProgramIo, path: string): Promise<string> {
  return (await statIfThere(io.fs, path)) === undefined ? 'cannot touch' : 'setting times of'
}

function changesOnlyAccess(given: ParsedArguments<typeof options>): boolean {
  const words = given.values('time')
  for (const word of words) {
    if (!['access', 'atime', 'use', 'modify', 'mtime'].includes(word)) {
      throw new ProgramError(`invalid argument ${quoted(word)} for ${quoted('--time')}`)
    }
  }
  const wantsModification = given.has('modification') || words.some((word) => word === 'modify' || word === 'mtime')
  return !wantsModification && (given.has('access') || words.length > 0)
}

interface Touch {
  modified: number
  isAccessOnly: boolean
  given: ParsedArguments<typeof options>
}

async function touchOne(io: ProgramIo, name: string, { modified, isAccessOnly, given }: Touch): Promise<void> {
  const { fs } = io
  // The file that standard output goes to, if it goes to one.
  const path = name === '-' ? io.stdout.path : name
  if (path === undefined) return
  if (given.has('noDereference') && (await lstatIfThere(fs, path))?.kind === 'symlink') {
    throw new ProgramError('times of symbolic links are not supported by this shell', 2)
  }
  if ((await statIfThere(fs, path)) === undefined) {
    if (given.has('noCreate')) return
    await (await fs.openWrite(path, { append: true })).close()
    if (isAccessOnly || !(given.has('date') || given.has('stamp') || given.has('reference'))) return
  } else if (isAccessOnly) throw new ProgramError('access times are not supported by this shell', 2)
  await fs.setModified(path, modified)
}

async function timeOf(io: ProgramIo, given: ParsedArguments<typeof options>): Promise<number> {
  const reference = given.value('reference')
  const date = given.value('date')
  const stamp = given.value('stamp')
  if (stamp !== undefined && (date !== undefined || reference !== undefined)) {
    throw usageError(io, 'cannot specify times from more than one source')
  }
  const base = reference === undefined ? undefined : await modifiedOfReference(io, reference)
  if (date !== undefined) {
    const found = parseTime(io, date, base)
    if (found === undefined) throw new ProgramError(`invalid date format ${quoted(date)}`)
    return found
  }
  if (stamp !== undefined) return parseStamp(io, stamp)
  return base ?? io.now()
}

async function modifiedOfReference(io: ProgramIo, path: string): Promise<number> {
  try {
    return modifiedOf(await io.fs.stat(path))
  } catch (error) {
    throw new ProgramError(`failed to get attributes of ${quotedName(path)}: ${describeError(error)}`)
  }
}

/** `[[CC]YY]MMDDhhmm[.ss]` */
function parseStamp(io: ProgramIo, stamp: string): number {
  const invalid = new ProgramError(`invalid date format ${quoted(stamp)}`)
  const [, digits = '', seconds = '00'] = /^(\d{8}|\d{10}|\d{12})(?:\.(\d\d))?$/.exec(stamp) ?? []
  if (digits === '') throw invalid
  const rest = digits.slice(-8)
  const given = digits.slice(0, -8)
  const short = Number(given)
  const year =
    given === ''
      ? new Date(io.now()).getUTCFullYear()
      : given.length === 4
        ? short
        : short < 69
          ? 2000 + short
          : 1900 + short
  const [, month, day, hour, minute] = /^(..)(..)(..)(..)$/.exec(rest) ?? []
  const found = parseTime(io, `${String(year).padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${seconds}`)
  if (found === undefined) throw invalid
  return found
}
