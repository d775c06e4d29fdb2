import { FsError } from '../../src/errors.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import type { FileSystem } from '../../src/fs/types.js'
import { withSource } from '../engine/file-source.js'
import { directoryHandle } from './fs-access.js'
import { fromDomException, isDomException } from './fs-access-errors.js'

export interface OpenDirectoryOptions {
  /** `read` asks for read permission only, and returns a read-only file system. Default: `readwrite`. */
  mode?: 'read' | 'readwrite'
  /** The browser remembers the last folder for each id. */
  id?: string
  /** Default: false, which is safe on every system; true treats names that differ only in case as different. */
  caseSensitive?: boolean
}

/**
 * Lets the user pick a folder; call it from a click. Fails with `UNSUPPORTED` where the browser has no folder picker, and with
 * `ABORTED` when the user closes it.
 */
export async function openDirectory(options: OpenDirectoryOptions = {}): Promise<FileSystem> {
  const { mode = 'readwrite', id, caseSensitive = false } = options
  const { showDirectoryPicker } = globalThis as Picker
  if (showDirectoryPicker === undefined) {
    throw new FsError('UNSUPPORTED', { path: '/', operation: 'showDirectoryPicker' })
  }
  try {
    const handle = await showDirectoryPicker(id === undefined ? { mode } : { mode, id })
    const fs = directoryHandle(handle, { caseSensitive })
    const readOnly = mode === 'read'
    return withSource(readOnly ? readonly(fs) : fs, { directory: handle, readOnly, caseSensitive })
  } catch (error) {
    if (isDomException(error, 'AbortError')) throw new FsError('ABORTED', {}, { cause: error })
    throw fromDomException(error, '/')
  }
}

/** Missing in TypeScript's library and in some browsers. */
interface Picker {
  showDirectoryPicker?: (options: { mode: 'read' | 'readwrite'; id?: string }) => Promise<FileSystemDirectoryHandle>
}
