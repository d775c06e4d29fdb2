/** What git keeps of a file, which need not be the bytes that the working tree has. */
import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { fileId } from '../objects/hash-file.js'
import { objectId } from '../objects/object-id.js'
import { type Repository, readIndex } from '../repository.js'
import { type Attributes, openAttributes, type ReadAttributes } from './attributes.js'
import { hasCrlf, type LineEndings, lineEndingsOf, toGit } from './line-endings.js'

/** A repository is opened for one call, in which none of this changes. */
const lookups = new WeakMap<Repository, (path: string) => Promise<Attributes>>()
const stagedNames = new WeakMap<Repository, Promise<ReadonlyMap<string, string>>>()

/** Whether a file is kept with other bytes than it has, as far as that can be told without reading it. */
export async function isConverted(repository: Repository, path: string): Promise<boolean> {
  return lineEndingsOf(await attributesOf(repository, path), repository.config) !== undefined
}

/** The bytes that git would keep of a file. */
export async function contentForGit(repository: Repository, path: string, bytes: Bytes): Promise<Bytes> {
  const endings = lineEndingsOf(await attributesOf(repository, path), repository.config)
  if (endings === undefined) return bytes
  const converted = toGit(bytes, endings, false)
  if (converted === bytes || endings.text !== 'auto') return converted
  const staged = (await stagedNamesOf(repository)).get(path)
  return staged !== undefined && hasCrlf(await repository.objects.readBlob(staged)) ? bytes : converted
}

/** The name git would give to a file; one that is kept as it is need not be held. */
export async function idForGit(repository: Repository, fs: FileSystem, path: string): Promise<string> {
  const full = join(repository.root, path)
  if (!(await isConverted(repository, path))) return fileId(fs, full, repository.checkAborted)
  return objectId('blob', await contentForGit(repository, path, await fs.readFile(full)))
}

/** Programs that a repository names are not run, so that what they would make of a file is not known. */
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

/** The line endings that a checkout writes, by the attributes that `read` finds. */
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
