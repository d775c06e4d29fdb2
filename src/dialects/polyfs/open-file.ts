import { readBytes } from '../../ops/read-bytes.js'
import { contentHash, contentHashSync } from '../../ops/shared/content-hash.js'
import { detectFormat, detectFromStart, sampleBytes, type TextFormat } from '../../text/decode/detect.js'
import { openShown } from '../../text/decode/shown-text.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'

export interface OpenedFile {
  /** Resolved; links are not followed. */
  path: string
  bytes: Uint8Array
  /** Of the content; a change may require it. */
  hash: string
  /** As tools show it and accept it in edits. Absent for a binary file. */
  text?: string
  format?: TextFormat
}

/** A whole file with the hash of its content, and as text where it is text. A larger one is refused with `TOO_LARGE`. */
export async function openFile(
  given: { path: string; maxFileBytes?: number },
  workspace: Workspace,
  context: CallContext,
): Promise<OpenedFile> {
  const { path, bytes } = await workspace.run(readBytes, given, context)
  return opened(path, bytes, await contentHash(bytes, workspace.fs.exact))
}

/** The same without a promise; undefined where that would block. */
export function openFileSync(given: { path: string }, workspace: Workspace): OpenedFile | undefined {
  const read = readBytes.runSync?.(given, workspace)
  if (read === undefined) return undefined
  const hash = contentHashSync(read.bytes, workspace.fs.exact)
  return hash === undefined ? undefined : opened(read.path, read.bytes, hash)
}

function opened(path: string, bytes: Uint8Array, hash: string): OpenedFile {
  const shown = openShown(bytes)
  return { path, bytes, hash, ...(shown && { text: shown.text, format: shown.format }) }
}

/** The format of a file that is not read whole, by its beginning. */
export async function sampleFormat(
  path: string,
  workspace: Workspace,
  context: CallContext,
): Promise<TextFormat | 'binary'> {
  const { bytes, size } = await workspace.run(readBytes, { path, count: sampleBytes }, context)
  return bytes.length < size ? detectFromStart(bytes) : detectFormat(bytes)
}
