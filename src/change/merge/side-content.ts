import { FsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import { encodeShown, openShown } from '../../text/decode/shown-text.js'
import type { EntryState } from '../entry-image.js'
import type { LinkImage } from '../journal/record.js'
import type { Streamed } from '../streamed-content.js'

/** What is to be at a path. */
export type Content = { bytes: Bytes } | { streamed: Streamed } | { link: LinkImage }

/** That of a file or link of the fork. */
export function contentOfSide({ state, streamed }: { state: EntryState; streamed?: Streamed }): Content {
  if (state.image.kind === 'symlink') return { link: state.image }
  // A file has one or the other.
  return state.bytes === undefined ? { streamed: streamed as Streamed } : { bytes: state.bytes }
}

/** A text in the encoding of the first of these that is a text file, else in UTF-8. Fails with `UNENCODABLE`. */
export function contentOfText({ text }: { text: string }, path: string, like: readonly EntryState[]): Content {
  for (const { bytes } of like) {
    const shown = bytes === undefined || bytes.length === 0 ? undefined : openShown(bytes)
    if (bytes === undefined || shown === undefined) continue
    const encoded = encodeShown(shown, bytes, [{ start: 0, end: shown.text.length, text }])
    if (encoded instanceof Uint8Array) return { bytes: encoded }
    throw new FsError('UNENCODABLE', { path, encoding: shown.format.encoding, character: encoded.unencodable })
  }
  return { bytes: new TextEncoder().encode(text) }
}
