import { readBytes } from '../../ops/read-bytes.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'
import { locate } from './paths.js'

export interface ReadFile {
  /** With links followed. */
  path: string
  bytes: Uint8Array
  /** Byte-order mark included; absent when the bytes are not valid UTF-8, or have a NUL among them. */
  text?: string
}

/** The original reads no larger file. */
export const maxReadBytes = 10 * 1024 * 1024

export async function readFile(given: string, workspace: Workspace, context: CallContext): Promise<ReadFile> {
  const wanted = { path: await locate(given, workspace), maxFileBytes: maxReadBytes }
  const { path, bytes } = await workspace.run(readBytes, wanted, context)
  const text = asText(bytes)
  return { path, bytes, ...(text !== undefined && { text }) }
}

function asText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return undefined
  }
}
