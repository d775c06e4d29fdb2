import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { dirname } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { type Encoding, looksBinary } from '../../text/decode/decode.js'
import type { TextFormat } from '../../text/decode/detect.js'
import { openText } from '../../text/decode/document.js'
import { encodeShown, openShown, type ShownText } from '../../text/decode/shown-text.js'
import { changedSpans } from '../../text/edit/changed-spans.js'
import type { AppliedEdit, EditOptions } from '../../text/edit/edit-types.js'
import type { Span } from '../../text/spans.js'
import type { Workspace } from '../../workspace/workspace.js'

export interface EditableFile {
  shown: ShownText
  bytes: Bytes
  mode: number | undefined
}

export interface EncodingRules {
  binaryWindow?: number
  encodings?: readonly Encoding[]
  detectEncoding?: boolean
}

/** Opens a file of a draft as text that can be edited without losing a byte. Errors name the path as given. */
export async function openEditable(
  { limits }: Workspace,
  draft: Draft,
  at: string,
  { path, binaryWindow, encodings, detectEncoding = false }: { path: string } & EncodingRules,
): Promise<EditableFile> {
  const { image } = await draft.entry(at)
  if (image.kind === 'absent')
    throw new FsError((await isBelowFile(draft, at)) ? 'NOT_A_DIRECTORY' : 'NOT_FOUND', { path })
  if (image.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
  const { maxFileBytes: limit } = limits
  if (image.size > limit) throw new FsError('TOO_LARGE', { path, size: image.size, limit })
  const bytes = await draft.read(at)
  if (detectEncoding) {
    const shown = openShown(bytes)
    if (shown === undefined) throw new FsError('BINARY', { path })
    return { shown, bytes, mode: image.mode }
  }
  if (binaryWindow !== undefined && looksBinary(bytes, binaryWindow)) throw new FsError('BINARY', { path })
  const document = openText(bytes)
  const { text, encoding, bom } = document
  if (encodings !== undefined && !encodings.includes(encoding)) throw new FsError('WRONG_ENCODING', { path, encoding })
  return { shown: { text, format: { encoding, bom }, document }, bytes, mode: image.mode }
}

/** The bytes of a file after spans of its text were replaced. Fails with `UNENCODABLE`. */
export function encodeEdited({ shown, bytes }: EditableFile, path: string, spans: readonly Span[]): Bytes {
  const encoded = encodeShown(shown, bytes, spans)
  if (encoded instanceof Uint8Array) return encoded as Bytes
  const { encoding } = shown.format
  throw new FsError('UNENCODABLE', { path, encoding, character: encoded.unencodable })
}

/** The bytes of a file after edits. Fails with `UNENCODABLE`. */
export function encodeOutcome(
  file: EditableFile,
  path: string,
  { text, edits }: { text: string; edits: readonly AppliedEdit[] },
  { endingsByLine = false }: EditOptions,
): Bytes {
  // Elsewhere every character has the same bytes. Reported places do not refer to the text itself if line endings were adapted afterwards.
  const isByPlace = file.shown.format.hasStrayBytes && !endingsByLine
  const whole = { start: 0, end: file.shown.text.length, text }
  return encodeEdited(file, path, isByPlace ? changedSpans(edits, text) : [whole])
}

/** How a file is encoded, and what its new bytes are taken for if they show another text. */
export function formatsOf({ shown: { format } }: EditableFile, encoded: Bytes, text: () => string) {
  const readsAs = misread(encoded, text, format)
  return { format, ...(readsAs !== undefined && { readsAs }) }
}

/** What new bytes of a file are taken for, if they show another text than was meant; only where the encoding had to be guessed. */
export function misread(bytes: Bytes, text: () => string, { encoding, bom, hasStrayBytes }: TextFormat) {
  if (bom || (encoding === 'utf-8' && !hasStrayBytes)) return undefined
  const read = openShown(bytes)
  return read?.text === text() ? undefined : (read?.format ?? ('binary' as const))
}

async function isBelowFile(draft: Draft, missing: string): Promise<boolean> {
  const above = dirname(missing)
  const { kind } = (await draft.entry(above)).image
  return kind === 'absent' ? isBelowFile(draft, above) : kind !== 'directory'
}
