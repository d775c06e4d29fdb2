/** Translates, squeezes and deletes bytes. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { misuse } from '../common/inputs.js'
import { expandSet, parseSet, type SetPart, sizeOf } from './tr-sets.js'

interface Mode {
  isDelete: boolean
  isSqueeze: boolean
  isComplement: boolean
  isTruncate: boolean
}

export const tr = defineProgram({
  name: 'tr',
  usage: '[OPTION]... STRING1 [STRING2]',
  options: {
    complement: { names: ['-c', '-C', '--complement'] },
    delete: { names: ['-d', '--delete'] },
    squeeze: { names: ['-s', '--squeeze-repeats'] },
    truncate: { names: ['-t', '--truncate-set1'] },
  },
  stopsAtOperand: true,
  async run(io, given) {
    const mode: Mode = {
      isDelete: given.has('delete'),
      isSqueeze: given.has('squeeze'),
      isComplement: given.has('complement'),
      isTruncate: given.has('truncate'),
    }
    checkCount(io, mode, given.operands)
    const [first = '', second] = given.operands
    const set1 = await parseSet(io, first)
    const set2 = second === undefined ? undefined : await parseSet(io, second)
    if (set1.some(({ repeat }) => repeat === 'fill')) {
      throw new ProgramError('the [c*] repeat construct may not appear in string1')
    }
    const change = mode.isDelete
      ? deletion(mode, set1, set2)
      : set2 === undefined
        ? squeezing(complementIf(mode, expandSet(set1)))
        : translation(mode, set1, set2)
    for (let chunk = await io.stdin.read(); chunk !== undefined; chunk = await io.stdin.read()) {
      await io.stdout.write(change(chunk))
    }
    return 0
  },
})

function checkCount(io: ProgramIo, { isDelete, isSqueeze }: Mode, operands: readonly string[]): void {
  const [first] = operands
  const isTranslation = !isDelete && !isSqueeze
  const least = isTranslation || (isDelete && isSqueeze) ? 2 : 1
  const most = isDelete && !isSqueeze ? 1 : 2
  if (first === undefined) throw misuse(io, 'missing operand')
  if (operands.length < least) {
    const reason = isTranslation
      ? 'Two strings must be given when translating.'
      : 'Two strings must be given when both deleting and squeezing repeats.'
    throw misuse(io, `missing operand after ${quoted(first)}\n${reason}`)
  }
  const extra = operands[most]
  if (extra === undefined) return
  const reason = operands.length === 2 ? '\nOnly one string may be given when deleting without squeezing repeats.' : ''
  throw misuse(io, `extra operand ${quoted(extra)}${reason}`)
}

function complementIf({ isComplement }: Mode, members: readonly number[]): readonly number[] {
  if (!isComplement) return members
  const given = new Set(members)
  return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !given.has(byte))
}

function membership(members: readonly number[]): Bytes {
  const table = new Uint8Array(256)
  for (const byte of members) table[byte] = 1
  return table
}

function deletion(mode: Mode, set1: readonly SetPart[], set2: readonly SetPart[] | undefined): (chunk: Bytes) => Bytes {
  const isDeleted = membership(complementIf(mode, expandSet(set1)))
  const remove = (chunk: Bytes) => {
    const kept = new Uint8Array(chunk.length)
    let length = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (isDeleted[byte] === 0) kept[length++] = byte
    }
    return kept.subarray(0, length)
  }
  if (!mode.isSqueeze || set2 === undefined) return remove
  const squeeze = squeezing(expandSet(set2))
  return (chunk) => squeeze(remove(chunk))
}

function squeezing(members: readonly number[]): (chunk: Bytes) => Bytes {
  const isSqueezed = membership(members)
  let last = -1
  return (chunk) => {
    const kept = new Uint8Array(chunk.length)
    let length = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === last && isSqueezed[byte] === 1) continue
      last = byte
      kept[length++] = byte
    }
    return kept.subarray(0, length)
  }
}

function translation(mode: Mode, set1: readonly SetPart[], set2: readonly SetPart[]): (chunk: Bytes) => Bytes {
  const from = complementIf(mode, expandSet(set1))
  checkClasses(mode, set1, set2, from.length)
  const to = expandSet(set2, from.length)
  if (!mode.isTruncate && to.length === 0 && from.length > 0) {
    throw new ProgramError('when not truncating set1, string2 must be non-empty')
  }
  if (
    mode.isComplement &&
    set1.some(({ className }) => className !== undefined) &&
    (new Set(to.slice(0, from.length)).size > 1 || (mode.isTruncate && to.length < from.length))
  ) {
    throw new ProgramError(
      'when translating with complemented character classes,\nstring2 must map all characters in the domain to one',
    )
  }
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  from.forEach((byte, index) => {
    const target = mode.isTruncate ? to[index] : (to[index] ?? to.at(-1))
    if (target !== undefined) table[byte] = target
  })
  const translate = (chunk: Bytes) => {
    const translated = new Uint8Array(chunk.length)
    for (let at = 0; at < chunk.length; at += 1) translated[at] = table[chunk[at] as number] as number
    return translated
  }
  if (!mode.isSqueeze) return translate
  const squeeze = squeezing(to)
  return (chunk) => squeeze(translate(chunk))
}

/** Classes in the second set: only upper and lower case, each opposite one of the first set. */
function checkClasses(
  { isTruncate, isComplement }: Mode,
  set1: readonly SetPart[],
  set2: readonly SetPart[],
  size: number,
): void {
  if (set2.some(({ isEquivalence }) => isEquivalence)) {
    throw new ProgramError('[=c=] expressions may not appear in string2 when translating')
  }
  const isCase = (name: string | undefined) => name === 'upper' || name === 'lower'
  let at = 0
  for (const part of set2) {
    if (part.className !== undefined && !isCase(part.className)) {
      throw new ProgramError(
        "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
      )
    }
    if (!isComplement && part.className !== undefined && !isCase(partAt(set1, at)?.className)) {
      throw new ProgramError('misaligned [:upper:] and/or [:lower:] construct')
    }
    at += part.repeat === 'fill' ? Math.max(0, size - sizeOf(set2)) : sizeOf([part])
  }
  const last = set2.at(-1)
  if (!isTruncate && last?.className !== undefined && size > sizeOf(set2)) {
    throw new ProgramError(
      'when translating with string1 longer than string2,\nthe latter string must not end with a character class',
    )
  }
}

/** The part that begins at this position of the set. */
function partAt(set: readonly SetPart[], position: number): SetPart | undefined {
  let at = 0
  for (const part of set) {
    if (at === position) return part
    at += sizeOf([part])
  }
  return undefined
}
