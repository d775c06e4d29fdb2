/** What differs between two points of a history. */
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { isWithin } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { entryStateAt } from '../entry-image.js'
import { type ChangeRecord, type Image, sameImage } from '../journal/record.js'
import { contentsAt, type KeptContent } from './contents-at.js'
import { timeline } from './timeline.js'

/** A path that differs between two points of the history. */
export interface Difference {
  path: string
  before: Image
  after: Image
  /** The bytes of a file at each point. */
  bytesBefore?: Bytes
  bytesAfter?: Bytes
}

export interface DifferencesOptions {
  fs: ConfinedFileSystem
  content: KeptContent
  /** All changes since the first point, oldest first. */
  since: readonly ChangeRecord[]
  /** The last change before the second point; absent for now. */
  last: string | undefined
  /** Only differences here and below. */
  path: string
}

export async function differences({ fs, content, since, last, path }: DifferencesOptions): Promise<Difference[]> {
  const sinceTo = since.filter(({ id }) => last !== undefined && id > last)
  const inBetween = timeline(since.filter(({ id }) => last === undefined || id <= last))
  const tillNow = timeline(since)
  const [contentBefore, contentAfter] = [contentsAt(since, { fs, content }), contentsAt(sinceTo, { fs, content })]
  const imageBefore = async (at: string): Promise<Image> => {
    const traced = tillNow.before(at)
    return 'image' in traced ? traced.image : (await entryStateAt(fs.exact, traced.at)).image
  }
  const found: Difference[] = []
  for (const at of [...inBetween.paths()].filter((one) => isWithin(path, one)).sort()) {
    const before = await imageBefore(at)
    const traced = inBetween.after(at)
    const after = 'image' in traced ? traced.image : await imageBefore(traced.at)
    if (sameImage(before, after)) continue
    const bytesBefore = await contentBefore(before, at)
    const bytesAfter = await contentAfter(after, at)
    found.push({ path: at, before, after, ...(bytesBefore && { bytesBefore }), ...(bytesAfter && { bytesAfter }) })
  }
  return found
}
