/** What an archive says it holds, and whether that can be so. Nothing here reads a file of the archive. */
import { type ArchiveFault, type ErrorFacts, FsError } from '../errors.js'
import type { ArchiveLimits } from './limits.js'
import { foldedName, hasControlCharacters, type NameRules, nameFault } from './names.js'

export interface ArchiveEntry {
  /** Relative, with `/` between names and none at the end. */
  path: string
  kind: 'file' | 'directory'
  /** Of a file, as the archive says; one that turns out otherwise is refused. */
  size?: number
  compressedSize?: number
  /** Permission bits, where the archive was made on a system that has them. */
  mode?: number
  /** Where the archive knows it. */
  modifiedMs?: number
}

/** Something to know about an archive that is taken all the same. */
export interface ArchiveWarning {
  kind: ArchiveWarningKind
  entry?: string
}

export type ArchiveWarningKind =
  /** The same name as another entry's, on systems that ignore case or Unicode forms. */
  | 'similar-name'
  /** Bytes that are no text in the encoding the entry names; each has become a replacement character. */
  | 'undecodable-name'
  | 'control-characters'
  /** Set-user, set-group or sticky, which are left out. */
  | 'special-mode'
  /** More than one place claims to be the directory of the archive; the last valid one counts. */
  | 'several-directories'
  /** Bytes behind the end. */
  | 'appended-data'

/** An entry as it stands in the directory of the archive. */
export interface RawEntry {
  name: string
  nameBytes: Uint8Array
  isDirectory: boolean
  isEncrypted: boolean
  /** Type and permissions as Unix has them. */
  unixMode?: number
  size: number
  compressedSize: number
  offset: number
  modifiedMs?: number
}

export interface CheckOptions {
  limits: ArchiveLimits
  names: NameRules
  /** False where names that differ in case or Unicode form are one. */
  caseSensitive: boolean
}

const typeBits = 0o170000
const [fileType, directoryType, linkType] = [0o100000, 0o040000, 0o120000]

/** Every entry under the name it may have, in the archive's order; fails for what no archive may hold. */
export function checkEntries(
  raw: readonly RawEntry[],
  options: CheckOptions,
): { entries: ArchiveEntry[]; warnings: ArchiveWarning[] } {
  const { limits } = options
  const warnings: ArchiveWarning[] = []
  const entries = raw.map((each) => checkEntry(each, options, warnings))
  checkTree(entries, options.caseSensitive, warnings)
  let total = 0
  for (const { path, size = 0, compressedSize = 0 } of entries) {
    total += size
    if (size > limits.maxEntryBytes) throw tooLarge('entry', limits.maxEntryBytes, path)
    if (size > limits.ratioFromBytes && size > limits.maxRatio * compressedSize) {
      throw tooLarge('ratio', limits.maxRatio, path)
    }
  }
  checkOverlap(raw)
  if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
  return { entries, warnings }
}

function checkEntry(raw: RawEntry, { limits, names }: CheckOptions, warnings: ArchiveWarning[]): ArchiveEntry {
  const { name, unixMode = 0 } = raw
  const shown = name.slice(0, limits.maxNameBytes)
  if (raw.nameBytes.length > limits.maxNameBytes) throw bad('name-too-long', shown)
  const fault = nameFault(name, names)
  if (fault !== undefined) throw bad(fault, shown)
  const type = unixMode & typeBits
  if (type === linkType) throw bad('link', name)
  if (type !== 0 && type !== fileType && type !== directoryType) throw bad('special-file', name)
  if (raw.isEncrypted) throw bad('encrypted', name)
  if (raw.isDirectory && raw.size > 0) throw bad('file-and-directory', name)

  const path = name.replace(/\/$/, '')
  if (name.includes('\ufffd')) warnings.push({ kind: 'undecodable-name', entry: path })
  if (hasControlCharacters(name)) warnings.push({ kind: 'control-characters', entry: path })
  if ((unixMode & 0o7000) !== 0) warnings.push({ kind: 'special-mode', entry: path })
  const { size, compressedSize, modifiedMs } = raw
  return {
    path,
    kind: raw.isDirectory ? 'directory' : 'file',
    ...(!raw.isDirectory && { size, compressedSize }),
    ...(raw.unixMode !== undefined && { mode: unixMode & 0o777 }),
    ...(modifiedMs !== undefined && { modifiedMs }),
  }
}

/** No name twice, and nothing below a file. */
function checkTree(entries: readonly ArchiveEntry[], caseSensitive: boolean, warnings: ArchiveWarning[]): void {
  const kinds = new Map<string, ArchiveEntry['kind']>()
  const folded = new Map<string, string>()
  for (const { path, kind } of entries) {
    const known = kinds.get(path)
    if (known !== undefined) throw bad(known === kind ? 'duplicate-name' : 'file-and-directory', path)
    kinds.set(path, kind)
  }
  for (const { path } of entries) {
    const components = path.split('/')
    for (let length = 1; length <= components.length; length += 1) {
      const above = components.slice(0, length).join('/')
      if (length < components.length && kinds.get(above) === 'file') throw bad('file-and-directory', above)
      const key = foldedName(above)
      const spelled = folded.get(key) ?? above
      folded.set(key, spelled)
      if (spelled === above) continue
      if (!caseSensitive) throw bad('duplicate-name', path)
      warnings.push({ kind: 'similar-name', entry: path })
      break
    }
  }
}

const localHeaderBytes = 30

/** One stretch of bytes is one entry's: otherwise a small archive can hold any amount. */
function checkOverlap(raw: readonly RawEntry[]): void {
  const inOrder = [...raw].sort((a, b) => a.offset - b.offset)
  let end = 0
  for (const { name, nameBytes, offset, compressedSize } of inOrder) {
    if (offset < end) throw bad('overlapping-entries', name)
    end = offset + localHeaderBytes + nameBytes.length + compressedSize
  }
}

/** A fault of the archive; whoever knows its path adds it. */
export function bad(reason: ArchiveFault, entry?: string): FsError<'BAD_ARCHIVE'> {
  return new FsError('BAD_ARCHIVE', { reason, ...(entry !== undefined && { entry }) })
}

export function tooLarge(
  what: ErrorFacts['ARCHIVE_TOO_LARGE']['what'],
  limit: number,
  entry?: string,
): FsError<'ARCHIVE_TOO_LARGE'> {
  return new FsError('ARCHIVE_TOO_LARGE', { what, limit, ...(entry !== undefined && { entry }) })
}
