/** The changes of an overlay as a patch for `git apply`: text, binary files, links, modes and renames. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { isFsError } from '../../src/errors.js'
import type { OverlayFileSystem } from '../../src/fs/backends/overlay.js'
import { encodeTarget } from '../../src/fs/link-target.js'
import { isWithin } from '../../src/fs/path.js'
import type { Bytes, FileSystem, Kind } from '../../src/fs/types.js'
import { type FileChange, quotedName, unifiedDiff } from '../../src/text/diff/unified-diff.js'
import { toHostTarget } from '../disk/host-link-target.js'
import type { NodeFileSystem } from '../disk/node-fs.js'

export interface GitPatch {
  /** Raw bytes, in whatever encoding the files have; empty when nothing changed. */
  patch: Uint8Array
  /** Changes that a git patch can't express. */
  omitted: Array<{ path: string; why: 'empty directory' | 'inside .git' | 'special file' }>
}

/** Paths are relative to the overlay's `/`. A file that moved with its content unchanged is a rename. */
export async function gitPatch(lower: NodeFileSystem, upper: OverlayFileSystem): Promise<GitPatch> {
  const omitted: GitPatch['omitted'] = []
  const changes = await upper.changes()
  const pairs: Pair[] = []
  for (const { path, change } of changes) {
    if (/(^|\/)\.git(\/|$)/i.test(path)) {
      omitted.push({ path, why: 'inside .git' })
      continue
    }
    const before = change === 'added' ? undefined : await version(lower, path, lower.root)
    const after = change === 'deleted' ? undefined : await version(upper, path, lower.root)
    if (before?.kind === 'other' || after?.kind === 'other') omitted.push({ path, why: 'special file' })
    else if (after?.kind === 'directory' && !(await upper.readDir(path)).length) {
      omitted.push({ path, why: 'empty directory' })
    }
    const name = path.slice(1)
    const [old, current] = [asBlob(before), asBlob(after)]
    // A git patch can't turn a file into a link; it deletes one and adds the other.
    if (old && current && old.isLink !== current.isLink) pairs.push({ name, old }, { name, current })
    else if (old || current) pairs.push({ name, ...(old && { old }), ...(current && { current }) })
  }
  const parts = withRenames(pairs).map(printed)
  const inGit = omitted.filter(({ why, path }) => why !== 'inside .git' || !isBelowAnother(path, omitted))
  return { patch: Buffer.from(parts.join(''), 'latin1'), omitted: inGit }
}

/** A file, or a link whose content is its target. */
interface Blob {
  bytes: Buffer
  mode: number
  isLink: boolean
}

interface Pair {
  name: string
  /** The new name, when it moves. */
  toName?: string
  old?: Blob
  current?: Blob
}

interface Version {
  kind: Kind
  bytes?: Bytes
  mode?: number
}

async function version(fs: FileSystem, path: string, root: string): Promise<Version> {
  const { kind, mode } = await fs.stat(path)
  if (kind === 'file') return { kind, bytes: await fs.readFile(path), ...(mode !== undefined && { mode }) }
  if (kind === 'symlink') return { kind, bytes: encodeTarget(await linkText(fs, path, root)) }
  return { kind }
}

/** The link's target on disk, where an absolute one starts at the disk's root and may lead anywhere. */
async function linkText(fs: FileSystem, path: string, root: string): Promise<string> {
  try {
    return toHostTarget(root, (await fs.readLink?.(path)) ?? '')
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    return (await fs.readLink?.(path, { verbatim: true })) ?? ''
  }
}

function asBlob(found: Version | undefined): Blob | undefined {
  if (found?.bytes === undefined) return undefined
  return { bytes: Buffer.from(found.bytes), mode: found.mode ?? 0o644, isLink: found.kind === 'symlink' }
}

function withRenames(pairs: readonly Pair[]): Pair[] {
  const gone = new Map<string, Pair[]>()
  for (const pair of pairs) {
    if (pair.old === undefined || pair.current !== undefined || pair.old.bytes.length === 0) continue
    const key = identity(pair.old)
    gone.set(key, [...(gone.get(key) ?? []), pair])
  }
  const moved = new Set<Pair>()
  const renamed = pairs.map((pair) => {
    if (pair.current === undefined || pair.old !== undefined) return pair
    const source = gone.get(identity(pair.current))?.shift()
    if (source?.old === undefined) return pair
    moved.add(source)
    return { name: source.name, toName: pair.name, old: source.old, current: pair.current }
  })
  return renamed.filter((pair) => !moved.has(pair))
}

function identity({ bytes, isLink }: Blob): string {
  return `${isLink} ${objectName(bytes)}`
}

function printed({ name, toName, old, current }: Pair): string {
  const change: FileChange = {
    path: name,
    ...(toName !== undefined && { toPath: toName }),
    ...(old && { modeBefore: old.mode, before: old.bytes.toString('latin1') }),
    ...(current && { modeAfter: current.mode, after: current.bytes.toString('latin1') }),
  }
  if (old?.isLink || current?.isLink)
    return unifiedDiff(change).replace(/^((?:new|deleted) file mode) \d+$/m, '$1 120000')
  const isSame = old !== undefined && current !== undefined && old.bytes.equals(current.bytes)
  if (isSame || ![old, current].some((side) => side && hasNul(side.bytes))) return unifiedDiff(change)
  // The header of the change, without its content.
  const header = unifiedDiff({ ...change, ...(old && { before: '' }), ...(current && { after: '' }) })
  const start = header || `diff --git ${quotedName(`a/${name}`)} ${quotedName(`b/${name}`)}\n`
  const index = `index ${objectName(old?.bytes)}..${objectName(current?.bytes)}\n`
  return `${start}${index}GIT binary patch\n${literal(current?.bytes ?? empty)}${literal(old?.bytes ?? empty)}`
}

const empty = Buffer.alloc(0)

/** Git also checks only the first 8000 bytes. */
function hasNul(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

/** The object id of a blob; zeros for none. */
function objectName(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '0'.repeat(40)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const bytesPerLine = 52

/** Deflated and in base 85; each line starts with a letter for its number of bytes. */
function literal(bytes: Buffer): string {
  const packed = deflateSync(bytes)
  let text = `literal ${bytes.length}\n`
  for (let start = 0; start < packed.length; start += bytesPerLine) {
    const line = packed.subarray(start, start + bytesPerLine)
    const length = String.fromCharCode(line.length <= 26 ? 64 + line.length : 70 + line.length)
    text += `${length}${base85(line)}\n`
  }
  return `${text}\n`
}

function base85(bytes: Buffer): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += 4) {
    let value = 0
    for (let at = start; at < start + 4; at += 1) value = value * 256 + (bytes[at] ?? 0)
    let group = ''
    for (let digit = 0; digit < 5; digit += 1) {
      group = `${alphabet[value % 85]}${group}`
      value = Math.floor(value / 85)
    }
    text += group
  }
  return text
}

function isBelowAnother(path: string, entries: GitPatch['omitted']): boolean {
  return entries.some((entry) => entry.path !== path && isWithin(entry.path, path))
}
