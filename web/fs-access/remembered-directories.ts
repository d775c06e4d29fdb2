/** Folders the user has picked, stored between visits. The browser may ask for permission again before they can be used. */
import { FsError } from '../../src/errors.js'

export interface RememberedDirectory {
  id: string
  name: string
  handle: FileSystemDirectoryHandle
  usedMs: number
}

const database = 'polyfs'
const directories = 'directories'

/** Stores a folder; for one that is stored already, only the time of use changes. */
export async function rememberDirectory(handle: FileSystemDirectoryHandle): Promise<void> {
  const id = (await find(handle))?.id ?? crypto.randomUUID()
  const entry: RememberedDirectory = { id, name: handle.name, handle, usedMs: Date.now() }
  await withStore('readwrite', (store) => store.put(entry))
}

/** Most recently used first. */
export async function rememberedDirectories(): Promise<RememberedDirectory[]> {
  const all = await withStore<RememberedDirectory[]>('readonly', (store) => store.getAll())
  return all.sort((a, b) => b.usedMs - a.usedMs)
}

export async function forgetDirectory(handle: FileSystemDirectoryHandle): Promise<void> {
  const found = await find(handle)
  if (found !== undefined) await withStore('readwrite', (store) => store.delete(found.id))
}

/**
 * Gets permission to use a folder, asking the user if necessary: call it from a click. Fails with `DENIED` when the
 * user refuses; it can be called again.
 */
export async function allowDirectory(handle: FileSystemDirectoryHandle, mode: 'read' | 'readwrite'): Promise<void> {
  const permissions = handle as PermissionHandle
  if ((await permissions.queryPermission?.({ mode })) === 'granted') return
  if ((await permissions.requestPermission?.({ mode })) === 'granted') return
  throw new FsError('DENIED', { path: '/' })
}

/** Missing in TypeScript's library and in some browsers. */
interface PermissionHandle extends FileSystemDirectoryHandle {
  queryPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>
  requestPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>
}

async function find(handle: FileSystemDirectoryHandle): Promise<RememberedDirectory | undefined> {
  for (const known of await rememberedDirectories()) if (await known.handle.isSameEntry(handle)) return known
  return undefined
}

async function withStore<Result>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(directories, { keyPath: 'id' })
  const open = await settled<IDBDatabase>(opening)
  try {
    return await settled<Result>(request(open.transaction(directories, mode).objectStore(directories)))
  } finally {
    open.close()
  }
}

function settled<Result>(request: IDBRequest): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
