import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import type { Bytes } from '../../fs/types.js'
import { isUnread } from '../content-hash.js'
import { entryStateAt } from '../entry-image.js'
import type { ChangeRecord, Image } from '../journal/record.js'
import { holders } from './take-back.js'
import { timeline } from './timeline.js'

/** Content that a record stores, by the record's id and its hash; undefined where it is lost. */
export type KeptContent = (id: string, hash: string) => Promise<Bytes | undefined>

/** Returns the bytes of files at a point: from a record since then, or from the file's current place. */
export function contentsAt(
  since: readonly ChangeRecord[],
  { fs, content }: { fs: ConfinedFileSystem; content: KeptContent },
): (image: Image, path: string) => Promise<Bytes | undefined> {
  const keeping = holders(since)
  const { place } = timeline(since)
  return async (image, path) => {
    if (image.kind !== 'file' || isUnread(image.hash)) return undefined
    const id = keeping.get(image.hash)
    const bytes = id === undefined ? undefined : await content(id, image.hash)
    if (bytes !== undefined) return bytes
    const now = await entryStateAt(fs.exact, place(path))
    return now.image.kind === 'file' && now.image.hash === image.hash ? now.bytes : undefined
  }
}
