/** Sets the size of files, and reserves space for them. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { blockBytes, statIfThere } from '../shared/facts.js'
import { parseSize } from '../shared/sizes.js'
import { usageError } from '../shared/usage.js'

const zeroBytes = 64 * 1024

export const truncate = defineProgram({
  name: 'truncate',
  usage: 'OPTION... FILE...',
  options: {
    noCreate: { names: ['-c', '--no-create'] },
    blocks: { names: ['-o', '--io-blocks'] },
    reference: { names: ['-r', '--reference'], value: 'required' },
    size: { names: ['-s', '--size'], value: 'required' },
  },
  async run(io, given) {
    const reference = given.value('reference')
    const size = given.value('size')
    if (reference === undefined && size === undefined) {
      throw usageError(io, `you must specify either ${quoted('--size')} or ${quoted('--reference')}`)
    }
    const sized = sizeRule(io, size, given.has('blocks') ? blockBytes : 1)
    if (reference !== undefined && sized.isAbsolute) {
      throw usageError(io, `you must specify a relative ${quoted('--size')} with ${quoted('--reference')}`)
    }
    if (given.operands.length === 0) throw usageError(io, 'missing file operand')
    const base = reference === undefined ? undefined : await sizeOfReference(io, reference)
    let status = 0
    for (const path of given.operands) {
      try {
        const stat = await statIfThere(io.fs, path)
        if (stat === undefined && given.has('noCreate')) continue
        if (stat === undefined) await (await io.fs.openWrite(path)).close()
        await resize(io, path, stat?.size ?? 0, sized.next(base ?? stat?.size ?? 0))
      } catch (error) {
        await io.error(`cannot open ${quotedName(path)} for writing: ${describeError(error)}`)
        status = 1
      }
    }
    return status
  },
})

async function sizeOfReference(io: ProgramIo, path: string): Promise<number> {
  try {
    return (await io.fs.stat(path)).size ?? 0
  } catch (error) {
    throw new ProgramError(`cannot stat ${quotedName(path)}: ${describeError(error)}`)
  }
}

/** What `+5`, `-5`, `<5`, `>5`, `/5` and `%5` make of a size. */
function sizeRule(io: ProgramIo, text = '+0', unit: number): { isAbsolute: boolean; next(before: number): number } {
  const [, sign = '', rest = ''] = /^\s*([-+<>/%]?)(.*)$/s.exec(text) ?? []
  const amount = parseSize(rest.replace(/^\d+[gm]/, (number) => number.toUpperCase()))
  if (amount === undefined) throw new ProgramError(`Invalid number: ${quoted(text)}`)
  if ((sign === '/' || sign === '%') && amount === 0) throw new ProgramError('division by zero')
  const value = amount * unit
  const rules: Readonly<Record<string, (before: number) => number>> = {
    '': () => value,
    '+': (before) => before + value,
    '-': (before) => Math.max(0, before - value),
    '<': (before) => Math.min(before, value),
    '>': (before) => Math.max(before, value),
    '/': (before) => Math.floor(before / value) * value,
    '%': (before) => Math.ceil(before / value) * value,
  }
  const next = rules[sign]
  if (next === undefined) throw usageError(io, `Invalid number: ${quoted(text)}`)
  return { isAbsolute: sign === '', next }
}

async function resize(io: ProgramIo, path: string, before: number, after: number): Promise<void> {
  if (after === before) {
    await (await io.fs.openWrite(path, { append: true })).close()
    return
  }
  if (after < before) {
    await io.fs.writeFile(path, await io.fs.readFile(path, { start: 0, end: after }))
    return
  }
  const writer = await io.fs.openWrite(path, { append: true })
  for (let rest = after - before; rest > 0; rest -= zeroBytes) {
    io.step()
    await writer.write(new Uint8Array(Math.min(rest, zeroBytes)))
  }
  await writer.close()
}

export const fallocate = defineProgram({
  name: 'fallocate',
  usage: '[options] <filename>',
  options: {
    keepSize: { names: ['-n', '--keep-size'] },
    length: { names: ['-l', '--length'], value: 'required' },
    offset: { names: ['-o', '--offset'], value: 'required' },
    verbose: { names: ['-v', '--verbose'] },
  },
  unsupported: [
    '-c',
    '--collapse-range',
    '-d',
    '--dig-holes',
    '-i',
    '--insert-range',
    '-p',
    '--punch-hole',
    '-z',
    '--zero-range',
    '-x',
    '--posix',
  ],
  async run(io, given) {
    const [path, extra] = given.operands
    const length = given.value('length')
    if (length === undefined) throw new ProgramError('no length argument specified')
    if (path === undefined) throw new ProgramError('no filename specified')
    if (extra !== undefined) throw new ProgramError('unexpected number of arguments')
    const bytes = parseSize(length)
    const offset = parseSize(given.value('offset') ?? '0')
    if (bytes === undefined || bytes === 0) throw new ProgramError('invalid length value specified')
    if (offset === undefined) throw new ProgramError('invalid offset value specified')
    try {
      const before = (await statIfThere(io.fs, path))?.size ?? 0
      await resize(io, path, before, given.has('keepSize') ? before : Math.max(before, offset + bytes))
    } catch (error) {
      throw new ProgramError(`cannot open ${path}: ${describeError(error)}`)
    }
    return 0
  },
})
