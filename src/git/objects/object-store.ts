/** All objects of a repository by their names: loose ones, and those in packs. */
import { FsError, isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { takeTurns } from '../../fs/yield-between-steps.js'
import { createBudget, limits, tooLarge } from '../limits.js'
import type { StagedFiles } from '../staged-files.js'
import { openLooseObject } from './loose-object.js'
import { toHex } from './object-id.js'
import { type PackIndex, parsePackIndex } from './pack-index.js'
import { damagedAt, type FoundObject, type ObjectType, openPack, type Pack } from './pack-reader.js'
import { createSha1 } from './sha1.js'

export interface ObjectStore {
  /** Absent when there is no such object. */
  find(oid: string): Promise<{ type: ObjectType; size(): Promise<number> } | undefined>
  /** Whole; files, and all that is loose, with the content their name stands for. */
  read(oid: string): Promise<{ type: ObjectType; bytes: Bytes }>
  /** The same piece by piece; what is wrong with it shows at the end. */
  pieces(oid: string): Promise<{ type: ObjectType; size: number; pieces: AsyncIterable<Bytes> }>
  /** Names that begin so, two at most. */
  namesWith(prefix: string): Promise<string[]>
}

/** Packs that were opened, by path; they stay good as long as their index does not change. */
export type PackCache = Map<string, { size: number; modifiedMs?: number; pack: Pack }>

export interface ObjectStoreOptions {
  /** The directory `objects`. */
  directory: string
  cache: PackCache
  /** Objects may have been left where the repository came from. */
  isPartial: boolean
}

/** Lives as long as one call, and counts what the call decompresses. */
export function openObjectStore(staged: StagedFiles, { directory, cache, isPartial }: ObjectStoreOptions): ObjectStore {
  const budget = createBudget()
  const turn = takeTurns()
  const packDirectory = join(directory, 'pack')
  let packs: Promise<Pack[]> | undefined

  async function listPacks(): Promise<Pack[]> {
    const names = (await staged.list(packDirectory)).filter((name) => /^pack-[^/]*\.idx$/.test(name))
    if (names.length > limits.packs) throw tooLarge('the number of packs', limits.packs, 'packs')
    const opened: Pack[] = []
    let indexBytes = 0
    for (const name of names.sort()) {
      const path = join(packDirectory, name)
      const stat = await staged.look(path)
      const packPath = path.replace(/\.idx$/, '.pack')
      const pack = await staged.look(packPath)
      // An index without its pack is what git leaves while it repacks.
      if (stat?.kind !== 'file' || pack?.kind !== 'file') continue
      const { size = 0, modifiedMs } = stat
      indexBytes += size
      if (indexBytes > limits.packIndexBytes) throw tooLarge('pack indexes', limits.packIndexBytes)
      const known = cache.get(path)
      if (known !== undefined && known.size === size && known.modifiedMs === modifiedMs) {
        opened.push(known.pack)
        continue
      }
      const source = { path: packPath, size: pack.size ?? 0, read: staged.reader(packPath) }
      const made = openPack(source, await readIndex(path))
      // What this call itself has written may yet be given up.
      const isThere = staged.written(packPath) === undefined
      if (isThere) cache.set(path, { size, pack: made, ...(modifiedMs !== undefined && { modifiedMs }) })
      opened.push(made)
    }
    for (const path of cache.keys()) {
      if (!names.includes(path.slice(packDirectory.length + 1))) cache.delete(path)
    }
    return opened
  }

  async function readIndex(path: string): Promise<PackIndex> {
    return parsePackIndex(await staged.reader(path)(), path.slice(packDirectory.length + 1))
  }

  async function findInPacks(oid: string): Promise<FoundObject | undefined> {
    packs ??= listPacks()
    for (const pack of await packs) {
      const found = await pack.find(oid)
      if (found !== undefined) return found
    }
    return undefined
  }

  async function findLoose(oid: string): Promise<FoundObject | undefined> {
    const path = join(directory, `${oid.slice(0, 2)}/${oid.slice(2)}`)
    const stat = await staged.look(path)
    if (stat?.kind !== 'file') return undefined
    try {
      return await openLooseObject({ size: stat.size ?? 0, read: staged.reader(path) }, oid)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  async function find(oid: string): Promise<FoundObject | undefined> {
    await turn()
    const found = (await findInPacks(oid).catch(ifThere)) ?? (await findLoose(oid))
    if (found !== undefined) return found
    // Git may have packed it meanwhile.
    packs = undefined
    return findInPacks(oid)
  }

  async function need(oid: string): Promise<FoundObject> {
    const found = await find(oid)
    if (found !== undefined) return found
    if (!isPartial) throw damagedAt(oid)
    const subject = `object ${oid} was left on the server (partial clone)`
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
  }

  return {
    find,

    async read(oid) {
      const found = await need(oid)
      const bytes = await found.read(budget)
      // As git does: a history has many of these, and a pack was checked when it was made.
      if (found.isPacked && found.type !== 'blob') return { type: found.type, bytes }
      const check = hashOf(found.type, bytes.length)
      for (let at = 0; at < bytes.length; at += hashedAtOnce) {
        if (at > 0) await turn()
        check.update(bytes.subarray(at, at + hashedAtOnce))
      }
      if (toHex(check.digest()) !== oid) throw damagedAt(oid)
      return { type: found.type, bytes }
    },

    async pieces(oid) {
      const found = await need(oid)
      const size = await found.size()
      async function* checked() {
        const check = hashOf(found.type, size)
        for await (const piece of found.pieces(budget)) {
          await turn()
          check.update(piece)
          yield piece
        }
        if (toHex(check.digest()) !== oid) throw damagedAt(oid)
      }
      return { type: found.type, size, pieces: checked() }
    },

    async namesWith(prefix) {
      const names = new Set<string>()
      packs ??= listPacks()
      for (const { index } of await packs) index.namesWith(prefix, names, 2)
      const start = prefix.slice(0, 2)
      for (const name of await staged.list(join(directory, start))) {
        if (/^[0-9a-f]{38}$/.test(name) && `${start}${name}`.startsWith(prefix)) names.add(`${start}${name}`)
      }
      return [...names].slice(0, 2)
    },
  }
}

/** A pack may be gone since it was listed. */
function ifThere(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND')) throw error
}

const hashedAtOnce = 1024 * 1024

/** The beginning of an object's name: of its type and size. */
function hashOf(type: ObjectType, size: number) {
  const hash = createSha1()
  hash.update(new TextEncoder().encode(`${type} ${size}\0`))
  return hash
}
