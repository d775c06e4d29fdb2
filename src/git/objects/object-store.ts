/** Finds objects by id: loose ones, and those in packs. What is read is compared with its id, as the disk and our own code may err. */

import { FsError, isFsError } from '../../errors.js'
import { createSha1 } from '../../fs/digests/sha1.js'
import { join } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { toHex } from '../../text/hex.js'
import { damaged } from '../damaged.js'
import { createBudget, limits, tooLarge } from '../limits.js'
import type { StagedFiles } from '../staged-files.js'
import { openLooseObject } from './loose-object.js'
import { type PackIndex, parsePackIndex } from './pack-index.js'
import { type FoundObject, type ObjectType, openPack, type Pack } from './pack-reader.js'

export interface ObjectStore {
  /** Undefined when there is no such object. */
  find(oid: string): Promise<{ type: ObjectType; size(): Promise<number> } | undefined>
  /** Whether there is such an object. May miss one that was packed a moment ago, as is harmless for one that is written otherwise. */
  has(oid: string): Promise<boolean>
  /** Reads an object as a whole. */
  read(oid: string): Promise<{ type: ObjectType; bytes: Bytes }>
  /** Reads an object in chunks; that it is another one is detected at the end, so nothing may be shown before. */
  pieces(oid: string): Promise<{ type: ObjectType; size: number; pieces: AsyncIterable<Bytes> }>
  /** Ids with this prefix, at most two. */
  namesWith(prefix: string): Promise<string[]>
}

/** Opened packs by path; an entry is valid until its index file changes. */
export type PackCache = Map<string, { size: number; modifiedMs?: number; pack: Pack }>

export interface ObjectStoreOptions {
  /** The directory `objects`. */
  directory: string
  cache: PackCache
  /** True for a partial clone, which may lack objects. */
  isPartial: boolean
}

/** For one call, whose decompressed bytes it counts. */
export function openObjectStore(staged: StagedFiles, { directory, cache, isPartial }: ObjectStoreOptions): ObjectStore {
  const budget = createBudget()
  const turn = yieldBetweenSteps()
  const packDirectory = join(directory, 'pack')
  let packs: Promise<Pack[]> | undefined
  /** The names in `directory`, when it was first asked for. */
  let looseDirectories: Promise<string[]> | undefined

  async function listPacks(): Promise<Pack[]> {
    const names = (await staged.list(packDirectory)).filter((name) => /^pack-[^/]*\.idx$/.test(name))
    if (names.length > limits.packs) throw tooLarge('the number of packs', limits.packs, 'packs')
    const opened: Pack[] = []
    let indexBytes = 0
    for (const name of names.sort()) {
      const path = join(packDirectory, name)
      const stat = await staged.stat(path)
      const packPath = path.replace(/\.idx$/, '.pack')
      const pack = await staged.stat(packPath)
      // Git leaves an index without its pack for a moment while it repacks.
      if (stat?.kind !== 'file' || pack?.kind !== 'file') continue
      const { size = 0, modifiedMs } = stat
      indexBytes += size
      if (indexBytes > limits.packIndexBytes) throw tooLarge('pack indexes', limits.packIndexBytes)
      const known = cache.get(path)
      if (known !== undefined && known.size === size && known.modifiedMs === modifiedMs) {
        opened.push(known.pack)
        continue
      }
      const shown = `objects/pack/${packPath.slice(packDirectory.length + 1)}`
      const source = { name: shown, size: pack.size ?? 0, read: staged.reader(packPath) }
      const newPack = openPack(source, await readIndex(path))
      // A pack written by this call is not cached, because the call may still fail.
      const isCommitted = staged.written(packPath) === undefined
      if (isCommitted) cache.set(path, { size, pack: newPack, ...(modifiedMs !== undefined && { modifiedMs }) })
      opened.push(newPack)
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
    const name = `${oid.slice(0, 2)}/${oid.slice(2)}`
    const path = join(directory, name)
    const stat = await staged.stat(path)
    if (stat?.kind !== 'file') return undefined
    try {
      return await openLooseObject({ name: `objects/${name}`, size: stat.size ?? 0, read: staged.reader(path) }, oid)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  async function find(oid: string): Promise<FoundObject | undefined> {
    await turn()
    const found = (await findInPacks(oid).catch(undefinedIfMissing)) ?? (await findLoose(oid))
    if (found !== undefined) return found
    // Git may have packed it in the meantime.
    packs = undefined
    return findInPacks(oid)
  }

  async function has(oid: string): Promise<boolean> {
    await turn()
    if ((await findInPacks(oid).catch(undefinedIfMissing)) !== undefined) return true
    looseDirectories ??= staged.list(directory)
    return (await looseDirectories).includes(oid.slice(0, 2)) && (await findLoose(oid)) !== undefined
  }

  async function need(oid: string): Promise<FoundObject> {
    const found = await find(oid)
    if (found !== undefined) return found
    if (!isPartial) throw damaged(oid)
    const subject = `object ${oid} was left on the server (partial clone)`
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
  }

  return {
    find,
    has,

    async read(oid) {
      const found = await need(oid)
      const bytes = await found.read(budget)
      const check = hashOf(found.type, bytes.length)
      for (let at = 0; at < bytes.length; at += hashChunkBytes) {
        if (at > 0) await turn()
        check.update(bytes.subarray(at, at + hashChunkBytes))
      }
      if (toHex(check.digest()) !== oid) throw damaged(found.subject)
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
        if (toHex(check.digest()) !== oid) throw damaged(found.subject)
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

/** A pack may have been removed since it was listed. */
function undefinedIfMissing(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND')) throw error
}

const hashChunkBytes = 1024 * 1024

/** Starts the hash of an object with its type and size. */
function hashOf(type: ObjectType, size: number) {
  const hash = createSha1()
  hash.update(new TextEncoder().encode(`${type} ${size}\0`))
  return hash
}
