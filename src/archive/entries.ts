/** Checks the entries that an archive lists. Does not read their content. */
import { type ArchiveFault, type ErrorFacts, FsError } from '../errors.js'
import { foldedName } from '../fs/folded-name.js'
import type { ArchiveLimits } from './limits.js'
import { hasControlCharacters, type NameRules, nameFault } from './names.js'

export interface ArchiveEntry {
  /** Relative, separated by `/`, without one at the end. */
  path: string
  kind: 'file' | 'directory'
  /** Of a file, as the archive claims; a file of another size is refused. */
  size?: number
  compressedSize?: number
  /** Permission bits, if the archive has them. */
  mode?: number
  /** If the archive has it. */
  modifiedMs?: number
  /** The content of the file is where a symbolic link leads. */
  isLink?: true
}

/** Something unusual about an archive that is accepted nevertheless. */
export interface ArchiveWarning {
  kind: ArchiveWarningKind
  entry?: string
}

export type ArchiveWarningKind =
  /** The same name as another entry on systems that ignore case or Unicode normalisation. */
  | 'similar-name'
  /** The name has bytes that are invalid in its encoding; each became a replacement character. */
  | 'undecodable-name'
  | 'control-characters'
  /** Set-user, set-group or sticky bits, which are ignored. */
  | 'special-mode'
  /** The archive has several directories; the last valid one is used. */
  | 'several-directories'
  /** Bytes after the end. */
  | 'appended-data'

/** An entry of the archive's directory, unchecked. */
export interface RawEntry {
  name: string
  nameBytes: Uint8Array
  isDirectory: boolean
  isEncrypted: boolean
  /** Unix file type and permissions. */
  unixMode?: number
  size: number
  compressedSize: number
  offset: number
  modifiedMs?: number
}

export interface CheckOptions {
  limits: ArchiveLimits
  names: NameRules
  /** False on systems that ignore case or Unicode normalisation. */
  caseSensitive: boolean
  /** Links are refused unless it is true. */
  links?: boolean
}

const typeBits = 0o170000
const [fileType, directoryType, linkType] = [0o100000, 0o040000, 0o120000]

/** All entries with checked names, in the archive's order. Fails if the archive has a forbidden entry. */
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

function checkEntry(
  raw: RawEntry,
  { limits, names, links = false }: CheckOptions,
  warnings: ArchiveWarning[],
): ArchiveEntry {
  const { name, unixMode = 0 } = raw
  const printedName = name.slice(0, limits.maxNameBytes)
  if (raw.nameBytes.length > limits.maxNameBytes) throw bad('name-too-long', printedName)
  const fault = nameFault(name, names)
  if (fault !== undefined) throw bad(fault, printedName)
  const type = unixMode & typeBits
  const isLink = type === linkType && links && !raw.isDirectory
  if (type === linkType && !isLink) throw bad('link', name)
  if (!isLink && type !== 0 && type !== fileType && type !== directoryType) throw bad('special-file', name)
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
    ...(isLink && { isLink }),
  }
}

/** Fails if a name occurs twice, or an entry lies below a file. */
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

/** Fails if entries share bytes: a small archive could then have any amount of content. */
function checkOverlap(raw: readonly RawEntry[]): void {
  const inOrder = [...raw].sort((a, b) => a.offset - b.offset)
  let end = 0
  for (const { name, nameBytes, offset, compressedSize } of inOrder) {
    if (offset < end) throw bad('overlapping-entries', name)
    end = offset + localHeaderBytes + nameBytes.length + compressedSize
  }
}

/** A fault of the archive; the caller adds its path. */
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
