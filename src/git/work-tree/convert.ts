/** Converts between the bytes in the working tree and those git stores. */
import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { fileId } from '../objects/hash-file.js'
import { objectId } from '../objects/object-id.js'
import { type Repository, readIndex } from '../repository.js'
import { type Attributes, openAttributes, type ReadAttributes } from './attributes.js'
import { hasCrlf, type LineEndings, lineEndingsOf, toGit } from './line-endings.js'

/** Cached per repository, which is opened for one call in which none of this changes. */
const lookups = new WeakMap<Repository, (path: string) => Promise<Attributes>>()
const stagedNames = new WeakMap<Repository, Promise<ReadonlyMap<string, string>>>()

/** True when git may store other bytes than the file has, as far as is known without reading it. */
export async function isConverted(repository: Repository, path: string): Promise<boolean> {
  return lineEndingsOf(await attributesOf(repository, path), repository.config) !== undefined
}

/** The bytes git would store for a file. */
export async function contentForGit(repository: Repository, path: string, bytes: Bytes): Promise<Bytes> {
  const endings = lineEndingsOf(await attributesOf(repository, path), repository.config)
  if (endings === undefined) return bytes
  const converted = toGit(bytes, endings, false)
  if (converted === bytes || endings.text !== 'auto') return converted
  const staged = (await stagedNamesOf(repository)).get(path)
  return staged !== undefined && hasCrlf(await repository.objects.readBlob(staged)) ? bytes : converted
}

/** The object id git would give to a file; a file that is not converted need not be held in memory. */
export async function idForGit(repository: Repository, fs: FileSystem, path: string): Promise<string> {
  const full = join(repository.root, path)
  if (!(await isConverted(repository, path))) return fileId(fs, full, repository.checkAborted)
  return objectId('blob', await contentForGit(repository, path, await fs.readFile(full)))
}

/**
 * Refuses files with filters and other attributes whose conversion is not supported: programs named by a repository are
 * never run.
 */
export async function refuseUnsupported(repository: Repository, path: string): Promise<void> {
  const attributes = await attributesOf(repository, path)
  const isIdent = attributes.get('ident') === true
  const encoding = attributes.get('working-tree-encoding')
  const name = isIdent ? 'ident' : typeof encoding === 'string' ? 'working-tree-encoding' : undefined
  const filter = attributes.get('filter')
  const subject = name ?? (typeof filter === 'string' ? `filter=${filter}` : undefined)
  if (subject !== undefined)
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-attribute', subject, paths: [path] })
}

/** The line endings a checkout writes, according to the attributes that `read` returns. */
export function lineEndingsInWorkTree(repository: Repository, read: ReadAttributes) {
  const lookUp = openAttributes(repository, read)
  return async (path: string): Promise<LineEndings | undefined> => lineEndingsOf(await lookUp(path), repository.config)
}

function attributesOf(repository: Repository, path: string): Promise<Attributes> {
  const lookUp = lookups.get(repository) ?? openAttributes(repository)
  lookups.set(repository, lookUp)
  return lookUp(path)
}

function stagedNamesOf(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const names =
    stagedNames.get(repository) ??
    readIndex(repository).then(({ entries }) => new Map(entries.map(({ path, oid }) => [path, oid] as const)))
  stagedNames.set(repository, names)
  return names
}
