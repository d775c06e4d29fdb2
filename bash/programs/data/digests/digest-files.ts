/** Prints digests of files, and checks lists of them: what `md5sum` and its relatives share. */
import { toHex } from '../../../../src/text/hex.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, lineBatches } from '../../../io/streams.js'
import { type Algorithm, algorithmOfTag } from './algorithms.js'

export interface CheckOptions {
  ignoreMissing: boolean
  quiet: boolean
  status: boolean
  strict: boolean
  warn: boolean
}

export async function openInput(io: ProgramIo, name: string): Promise<ByteReader> {
  return name === '-' ? io.stdin : io.fs.openRead(name)
}

/** Reads all of an input. Reports a failure and returns false. */
export async function feed(
  io: ProgramIo,
  name: string,
  update: (bytes: Uint8Array<ArrayBuffer>) => void,
): Promise<boolean> {
  try {
    const reader = await openInput(io, name)
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      update(chunk as Uint8Array<ArrayBuffer>)
      io.step()
    }
    return true
  } catch (error) {
    await io.error(`${name}: ${describeError(error)}`)
    return false
  }
}

async function digestOf(io: ProgramIo, name: string, algorithm: Algorithm): Promise<string | undefined> {
  const hash = algorithm.create()
  if (!(await feed(io, name, hash.update))) return undefined
  return toHex(hash.digest())
}

export interface PrintOptions {
  algorithm: Algorithm
  tagged: boolean
  binary: boolean
  zero: boolean
}

export async function printDigests(io: ProgramIo, names: readonly string[], options: PrintOptions): Promise<number> {
  const { algorithm, tagged, binary, zero } = options
  let status = 0
  for (const name of names) {
    const digest = await digestOf(io, name, algorithm)
    if (digest === undefined) {
      status = 1
      continue
    }
    const needsEscape = !zero && /[\\\n\r]/.test(name)
    const shown = needsEscape ? escapeName(name) : name
    const line = tagged ? `${algorithm.tag} (${shown}) = ${digest}` : `${digest} ${binary ? '*' : ' '}${shown}`
    await io.stdout.write(`${needsEscape ? '\\' : ''}${line}${zero ? '\0' : '\n'}`)
  }
  return status
}

const escapeName = (name: string) => name.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r')

interface ListedDigest {
  name: string
  digest: string
  algorithm: Algorithm
}

/** `fixed` is the only algorithm a program knows; without it the lines have tags. */
function readLine(line: string, fixed: Algorithm | undefined): ListedDigest | undefined {
  const escaped = line.startsWith('\\')
  const text = (escaped ? line.slice(1) : line).replace(/^[ \t]+/, '')
  const tagged = /^([A-Za-z0-9-]+) ?\((.*)\) ?= ?([0-9A-Za-z+/=]+)$/s.exec(text)
  if (tagged !== null) {
    const [, tag = '', name = '', digest = ''] = tagged
    const algorithm = algorithmOfTag(tag)
    if (algorithm === undefined || (fixed && family(fixed) !== family(algorithm))) return undefined
    return isDigest(digest, algorithm) ? { name: unescapeName(name, escaped), digest, algorithm } : undefined
  }
  if (fixed === undefined) return undefined
  const [, digest = '', name = ''] = /^([0-9A-Fa-f]+) [ *]?(.+)$/s.exec(text) ?? []
  return name !== '' && isDigest(digest, fixed)
    ? { name: unescapeName(name, escaped), digest, algorithm: fixed }
    : undefined
}

const family = ({ tag }: Algorithm) => tag.replace(/-\d+$/, '')
const isDigest = (text: string, { bytes }: Algorithm) => text.length === bytes * 2 && /^[0-9A-Fa-f]+$/.test(text)

function unescapeName(name: string, escaped: boolean): string {
  if (!escaped) return name
  const values: Readonly<Record<string, string>> = { n: '\n', r: '\r', '\\': '\\' }
  return name.replace(/\\(.)/gs, (all, letter: string) => values[letter] ?? all)
}

export async function checkDigests(
  io: ProgramIo,
  lists: readonly string[],
  fixed: Algorithm | undefined,
  options: CheckOptions,
): Promise<number> {
  let status = 0
  for (const list of lists) if (!(await checkList(io, list, fixed, options))) status = 1
  return status
}

async function checkList(
  io: ProgramIo,
  list: string,
  fixed: Algorithm | undefined,
  options: CheckOptions,
): Promise<boolean> {
  const { ignoreMissing, quiet, status, strict, warn } = options
  const listName = list === '-' ? "'standard input'" : list
  let number = 0
  let malformed = 0
  let wellFormed = 0
  let unread = 0
  let mismatched = 0
  let matched = 0

  async function checkEntry({ name, digest, algorithm }: ListedDigest): Promise<void> {
    const shown = /\n/.test(name) ? `\\${escapeName(name)}` : name
    if (ignoreMissing && !(await exists(io, name))) return
    const actual = await digestOf(io, name, algorithm)
    if (actual === undefined) {
      unread += 1
      if (!status) await io.stdout.write(`${shown}: FAILED open or read\n`)
      return
    }
    if (actual === digest.toLowerCase()) {
      matched += 1
      if (!status && !quiet) await io.stdout.write(`${shown}: OK\n`)
      return
    }
    mismatched += 1
    if (!status) await io.stdout.write(`${shown}: FAILED\n`)
  }

  let reader: ByteReader
  try {
    reader = await openInput(io, list)
    for await (const lines of lineBatches(reader)) {
      for (const bytes of lines) {
        number += 1
        const line = decodeText(bytes).replace(/\r?\n$/, '')
        if (line.startsWith('#') || line === '') continue
        const entry = readLine(line, fixed)
        if (entry !== undefined) {
          wellFormed += 1
          await checkEntry(entry)
          continue
        }
        malformed += 1
        if (warn) await io.error(`${listName}: ${number}: improperly formatted ${fixed?.tag ?? 'CRC'} checksum line`)
      }
    }
  } catch (error) {
    await io.error(`${list}: ${describeError(error)}`)
    return false
  }
  if (wellFormed === 0) {
    await io.error(`${listName}: no properly formatted checksum lines found`)
    return false
  }
  if (!status) {
    if (malformed > 0) {
      await io.error(`WARNING: ${malformed} line${malformed === 1 ? ' is' : 's are'} improperly formatted`)
    }
    if (unread > 0) await io.error(`WARNING: ${unread} listed file${unread === 1 ? '' : 's'} could not be read`)
    if (mismatched > 0) {
      await io.error(`WARNING: ${mismatched} computed checksum${mismatched === 1 ? '' : 's'} did NOT match`)
    }
    if (ignoreMissing && matched + mismatched === 0) await io.error(`${listName}: no file was verified`)
  }
  const noneVerified = ignoreMissing && matched === 0
  return mismatched === 0 && unread === 0 && !noneVerified && (!strict || malformed === 0)
}

async function exists(io: ProgramIo, name: string): Promise<boolean> {
  if (name === '-') return true
  try {
    await io.fs.stat(name)
    return true
  } catch {
    return false
  }
}
