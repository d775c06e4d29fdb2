import type { Bytes } from '../../fs/types.js'
import { contentHash } from '../content-hash.js'
import type { Journal } from './journal.js'

/** Content that a record keeps; undefined where the journal has lost it, or has other bytes than those of this hash. */
export async function keptContent(journal: Journal, id: string, hash: string): Promise<Bytes | undefined> {
  const bytes = await journal.content(id, hash)
  return bytes === undefined || (await contentHash(bytes)) === hash ? bytes : undefined
}
