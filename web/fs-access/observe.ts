import type { Unwatch } from '../../src/fs/types.js'

/** True where the browser has `FileSystemObserver`. */
export function observerAvailable(): boolean {
  return 'FileSystemObserver' in globalThis
}

/** Reports changes directly in the directory, as path components relative to it; no components for the directory itself. */
export async function observe(
  directory: FileSystemDirectoryHandle,
  onChange: (components: readonly string[]) => void,
): Promise<Unwatch> {
  const { FileSystemObserver } = globalThis as unknown as { FileSystemObserver: ObserverConstructor }
  let ended = false
  const observer = new FileSystemObserver((records) => {
    for (const { relativePathComponents, relativePathMovedFrom } of records) {
      for (const components of [relativePathMovedFrom, relativePathComponents]) {
        if (components != null && !ended) onChange(components)
      }
    }
  })
  await observer.observe(directory, { recursive: false })
  return () => {
    ended = true
    observer.disconnect()
  }
}

/** Missing in TypeScript's library. */
type ObserverConstructor = new (
  callback: (records: ChangeRecord[]) => void,
) => {
  observe(handle: FileSystemHandle, options: { recursive: boolean }): Promise<void>
  disconnect(): void
}

interface ChangeRecord {
  relativePathComponents: readonly string[] | null
  relativePathMovedFrom: readonly string[] | null
}
