import { FsError } from '../../src/errors.js'
import { posixRules } from '../../src/fs/path-rules.js'
import type { FileSystem } from '../../src/fs/types.js'
import { withSource } from '../engine/file-source.js'
import { directoryHandle } from '../fs-access/fs-access.js'
import { fromDomException } from '../fs-access/fs-access-errors.js'

/**
 * The origin's private file system, or a directory at its top, created when missing. Requests persistent storage
 * without waiting for the answer: if the browser refuses, it may evict the data when space is short.
 */
export async function opfs(name?: string): Promise<FileSystem> {
  const path = name === undefined ? '/' : `/${name}`
  const storage = globalThis.navigator?.storage
  if (storage?.getDirectory === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'opfs' })
  // Workers have no `persist`. A refusal is `false`, not an error; it throws only in pages with an opaque origin.
  storage.persist?.().catch(() => {})
  try {
    posixRules.parse(path)
    const top = await storage.getDirectory()
    if (name === undefined) return directoryHandle(top)
    return withSource(directoryHandle(await top.getDirectoryHandle(name, { create: true })), { opfs: name })
  } catch (error) {
    throw fromDomException(error, path)
  }
}
