/** Content to be compared or shown among others: what a rule hides is left out, and does not end the whole call. */
import { isRefusedByRule } from '../../fs/gate/access-rules.js'
import type { Bytes } from '../../fs/types.js'
import { utf8Bytes } from '../../text/utf8-bytes.js'
import type { Objects } from './objects.js'

const hidden = utf8Bytes('(hidden: a rule of the user forbids reading this file)\n')

export async function shownBlob({ readBlob }: Pick<Objects, 'readBlob'>, oid: string): Promise<Bytes> {
  try {
    return await readBlob(oid)
  } catch (error) {
    if (!isRefusedByRule(error)) throw error
    return hidden
  }
}

export async function shownSize({ blobSize }: Pick<Objects, 'blobSize'>, oid: string): Promise<number> {
  try {
    return await blobSize(oid)
  } catch (error) {
    if (!isRefusedByRule(error)) throw error
    return hidden.length
  }
}
