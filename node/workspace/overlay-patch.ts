/** What was done on an overlay, as a patch that `git apply` takes: text, binary files, links, modes and renames. */
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
  /** In the bytes of the files themselves, whatever their encoding; empty when nothing changed. */
  patch: Buffer
  /** What a patch of git's can't hold. */
  omitted: Array<{ path: string; why: 'empty directory' | 'inside .git' | 'special file' }>
}

/** Paths are relative to the overlay's `/`. A file that moved with its bytes unchanged is a rename. */
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
    const [old, now] = [asBlob(before), asBlob(after)]
    // Git knows no change from a file to a link, only one that goes and one that comes.
    if (old && now && old.isLink !== now.isLink) pairs.push({ name, old }, { name, now })
    else if (old || now) pairs.push({ name, ...(old && { old }), ...(now && { now }) })
  }
  const parts = withRenames(pairs).map(printed)
  const inGit = omitted.filter(({ why, path }) => why !== 'inside .git' || !isBelowAnother(path, omitted))
  return { patch: Buffer.from(parts.join(''), 'latin1'), omitted: inGit }
}

/** A file or a link, the content of which is its target. */
interface Blob {
  bytes: Buffer
  mode: number
  isLink: boolean
}

interface Pair {
  name: string
  /** Where it is afterwards, when it moves. */
  toName?: string
  old?: Blob
  now?: Blob
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

/** As it is on the disk, where an absolute link counts from the disk's root, and one may lead anywhere. */
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
    if (pair.old === undefined || pair.now !== undefined || pair.old.bytes.length === 0) continue
    const key = identity(pair.old)
    gone.set(key, [...(gone.get(key) ?? []), pair])
  }
  const moved = new Set<Pair>()
  const renamed = pairs.map((pair) => {
    if (pair.now === undefined || pair.old !== undefined) return pair
    const source = gone.get(identity(pair.now))?.shift()
    if (source?.old === undefined) return pair
    moved.add(source)
    return { name: source.name, toName: pair.name, old: source.old, now: pair.now }
  })
  return renamed.filter((pair) => !moved.has(pair))
}

function identity({ bytes, isLink }: Blob): string {
  return `${isLink} ${objectName(bytes)}`
}

function printed({ name, toName, old, now }: Pair): string {
  const change: FileChange = {
    path: name,
    ...(toName !== undefined && { toPath: toName }),
    ...(old && { modeBefore: old.mode, before: old.bytes.toString('latin1') }),
    ...(now && { modeAfter: now.mode, after: now.bytes.toString('latin1') }),
  }
  if (old?.isLink || now?.isLink) return unifiedDiff(change).replace(/^((?:new|deleted) file mode) \d+$/m, '$1 120000')
  const isSame = old !== undefined && now !== undefined && old.bytes.equals(now.bytes)
  if (isSame || ![old, now].some((side) => side && hasNul(side.bytes))) return unifiedDiff(change)
  // The header of the same change without its content.
  const header = unifiedDiff({ ...change, ...(old && { before: '' }), ...(now && { after: '' }) })
  const start = header || `diff --git ${quotedName(`a/${name}`)} ${quotedName(`b/${name}`)}\n`
  const index = `index ${objectName(old?.bytes)}..${objectName(now?.bytes)}\n`
  return `${start}${index}GIT binary patch\n${literal(now?.bytes ?? empty)}${literal(old?.bytes ?? empty)}`
}

const empty = Buffer.alloc(0)

/** Where git looks for it too. */
function hasNul(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

/** As git names a blob; zeros for none. */
function objectName(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '0'.repeat(40)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const bytesPerLine = 52

/** Deflated, in base 85, each line behind a letter that tells how many bytes it holds. */
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
