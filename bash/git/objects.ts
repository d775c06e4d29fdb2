/** Objects of any type, and short names for them. */
import type { Bytes } from '../../src/fs/types.js'
import type { Repository } from '../../src/git/repository.js'
import { fatal } from './git-error.js'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface AnyObject {
  oid: string
  type: ObjectType
}

export async function typeOf({ objects }: Repository, oid: string): Promise<ObjectType | undefined> {
  return (await objects.store.find(oid))?.type
}

export async function readAny({ objects }: Repository, oid: string): Promise<{ type: ObjectType; bytes: Bytes }> {
  return objects.store.read(oid)
}

export interface TagObject {
  object: string
  type: ObjectType
  tag: string
  /** As written, with the date; undefined for very old tags. */
  tagger?: string
  message: string
}

export function parseTagObject(bytes: Bytes): TagObject {
  const text = new TextDecoder().decode(bytes)
  const end = text.indexOf('\n\n')
  const lines = (end === -1 ? text : text.slice(0, end)).split('\n')
  const of = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
  const tagger = of('tagger')
  return {
    object: of('object') ?? '',
    type: (of('type') ?? 'commit') as ObjectType,
    tag: of('tag') ?? '',
    ...(tagger !== undefined && { tagger }),
    message: end === -1 ? '' : text.slice(end + 2),
  }
}

/** Follows tags to what they name. */
export async function peelTags(repository: Repository, oid: string): Promise<AnyObject> {
  let at = oid
  for (let steps = 0; steps < 50; steps += 1) {
    const type = await typeOf(repository, at)
    if (type === undefined) throw fatal(`bad object ${at}`)
    if (type !== 'tag') return { oid: at, type }
    at = parseTagObject((await readAny(repository, at)).bytes).object
  }
  throw fatal(`too many tags at ${oid}`)
}

const shortNames = new WeakMap<object, Map<string, string>>()

/** The shortest unique prefix of an object's id, with at least this many digits. */
export async function abbreviate(repository: Repository, oid: string, length = 7): Promise<string> {
  const known = shortNames.get(repository.objects) ?? new Map<string, string>()
  shortNames.set(repository.objects, known)
  const key = `${length}${oid}`
  const before = known.get(key)
  if (before !== undefined) return before
  let size = Math.min(40, Math.max(4, length))
  while (size < 40 && (await repository.objects.store.namesWith(oid.slice(0, size))).some((name) => name !== oid))
    size += 1
  const short = oid.slice(0, size)
  known.set(key, short)
  return short
}
