/** Synchronous access to the files of the browser's storage, which only dedicated workers have. */

/** Missing in TypeScript's library for pages. `mode` is newer than the method and ignored where it is unknown. */
export interface SyncAccess {
  createSyncAccessHandle(options?: { mode: 'read-only' }): Promise<SyncAccessHandle>
}

export interface SyncAccessHandle {
  getSize(): number
  read(into: Uint8Array, options: { at: number }): number
  write(bytes: Uint8Array, options: { at: number }): number
  flush(): void
  close(): void
}

let found: Promise<boolean> | undefined

/**
 * Whether there is synchronous access here. WebKitGTK has the method but not what it needs, and the file of a failed call can't be written any
 * more; so this is tried once, on a file that nothing else uses.
 */
export function hasSyncAccess(): Promise<boolean> {
  found ??= tryOnce()
  return found
}

async function tryOnce(): Promise<boolean> {
  if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) return false
  const top = await navigator.storage.getDirectory()
  // The name of a leftover, which no listing shows.
  const name = `${crypto.randomUUID()}.polyfs-new`
  const handle = (await top.getFileHandle(name, { create: true })) as FileSystemFileHandle & SyncAccess
  try {
    const access = await handle.createSyncAccessHandle()
    access.close()
    return true
  } catch {
    return false
  } finally {
    await top.removeEntry(name)
  }
}
