import type { ByteRange, ByteSource, Bytes } from '../../src/fs/types.js'
import { fromDomException, isDomException } from './fs-access-errors.js'
import { hasSyncAccess, type SyncAccess, type SyncAccessHandle } from './sync-access.js'

/**
 * An open file. In a dedicated worker this is a sync access handle, which reads a range ten times (1 MiB) to a hundred
 * times (4 kB) faster than `slice`; opening it costs as much as one read, so only `open` uses it. While it is open,
 * replacing the file fails with `BUSY`. Elsewhere it is a snapshot, whose reads fail with `BUSY` once the file has been
 * replaced.
 */
export async function byteSource(handle: FileSystemFileHandle, path: string): Promise<ByteSource> {
  return (await syncSource(handle)) ?? snapshotSource(handle, path)
}

async function syncSource(handle: FileSystemFileHandle): Promise<ByteSource | undefined> {
  if (!(await hasSyncAccess())) return undefined
  const access = await openSync(handle as FileSystemFileHandle & SyncAccess)
  if (access === undefined) return undefined
  const size = access.getSize()
  return {
    size,
    async read(range) {
      const { start, end } = within(range, size)
      const bytes = new Uint8Array(end - start)
      return bytes.subarray(0, access.read(bytes, { at: start }))
    },
    async close() {
      access.close()
    },
  }
}

/** Undefined for a file outside OPFS, and while another handle has exclusive access. */
async function openSync(handle: FileSystemFileHandle & SyncAccess): Promise<SyncAccessHandle | undefined> {
  try {
    return await handle.createSyncAccessHandle({ mode: 'read-only' })
  } catch (error) {
    if (isDomException(error, 'InvalidStateError', 'NoModificationAllowedError')) return undefined
    throw error
  }
}

async function snapshotSource(handle: FileSystemFileHandle, path: string): Promise<ByteSource> {
  const file = await handle.getFile()
  return {
    size: file.size,
    async read(range): Promise<Bytes> {
      const { start, end } = within(range, file.size)
      try {
        return new Uint8Array(await file.slice(start, end).arrayBuffer())
      } catch (error) {
        throw fromDomException(error, path)
      }
    },
    async close() {},
  }
}

function within({ start, end }: ByteRange, size: number): ByteRange {
  const from = Math.min(start, size)
  return { start: from, end: Math.max(from, Math.min(end, size)) }
}
