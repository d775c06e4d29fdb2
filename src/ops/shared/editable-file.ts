import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { dirname } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { type Encoding, looksBinary } from '../../text/decode/decode.js'
import { openText, type TextDocument } from '../../text/decode/document.js'
import type { Workspace } from '../../workspace.js'

export interface EditableFile {
  document: TextDocument
  bytes: Bytes
  mode: number | undefined
}

/** Opens a file of a draft as text that can be edited without losing a byte. Errors name the path as given. */
export async function openEditable(
  { limits }: Workspace,
  draft: Draft,
  at: string,
  { path, binaryWindow, encodings }: { path: string; binaryWindow?: number; encodings?: readonly Encoding[] },
): Promise<EditableFile> {
  const { image } = await draft.look(at)
  if (image.kind === 'absent')
    throw new FsError((await isBelowFile(draft, at)) ? 'NOT_A_DIRECTORY' : 'NOT_FOUND', { path })
  if (image.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
  const { maxFileBytes: limit } = limits
  if (image.size > limit) throw new FsError('TOO_LARGE', { path, size: image.size, limit })
  const bytes = await draft.read(at)
  if (binaryWindow !== undefined && looksBinary(bytes, binaryWindow)) throw new FsError('BINARY', { path })
  const document = openText(bytes)
  const { encoding } = document
  if (encodings !== undefined && !encodings.includes(encoding)) throw new FsError('WRONG_ENCODING', { path, encoding })
  return { document, bytes, mode: image.mode }
}

async function isBelowFile(draft: Draft, missing: string): Promise<boolean> {
  const above = dirname(missing)
  const { kind } = (await draft.look(above)).image
  return kind === 'absent' ? isBelowFile(draft, above) : kind !== 'directory'
}
