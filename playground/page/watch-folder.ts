/** Notices when other programs change a folder of the computer. */
import { join } from '../../src/fs/path.js'

/** How often a folder is looked at where the browser does not report changes. */
const pollMs = 3000
/** Changes often come in groups. */
const gatherMs = 150

/**
 * Calls `onChange` with the changed paths, or without any when all of the folder has to be read again. The page's own
 * changes are reported too. Where the browser reports nothing, calls `onLook` now and then. Returns a function that ends it.
 */
export function watchFolder(
  directory: FileSystemDirectoryHandle,
  onChange: (paths: readonly string[] | undefined) => void,
  onLook: () => void,
): () => void {
  const { FileSystemObserver: Observer } = globalThis as { FileSystemObserver?: ObserverConstructor }
  const timer = setInterval(() => !document.hidden && onLook(), pollMs)
  const gathered = gather(onChange)
  const observer =
    Observer &&
    new Observer((records) => {
      // Some file systems report nothing, so the folder is looked at until the first report.
      clearInterval(timer)
      gathered(records)
    })
  observer?.observe(directory, { recursive: true }).catch(() => {})
  return () => {
    clearInterval(timer)
    observer?.disconnect()
  }
}

function gather(onChange: (paths: readonly string[] | undefined) => void): (records: Observed[]) => void {
  let paths: Set<string> | undefined
  return (records) => {
    if (paths === undefined) {
      paths = new Set()
      setTimeout(() => {
        // Without a path the observer has lost track, and all of the folder has to be read again.
        const known = paths
        paths = undefined
        onChange(known?.has('') ? undefined : [...(known ?? [])])
      }, gatherMs)
    }
    for (const { type, relativePathComponents: at, relativePathMovedFrom: from } of records) {
      if (type === 'unknown' || type === 'errored' || at === null) paths.add('')
      for (const components of [at, from]) if (components?.length) paths.add(join('/', components.join('/')))
    }
  }
}

/** Missing in TypeScript's library. */
type ObserverConstructor = new (
  callback: (records: Observed[]) => void,
) => { observe(handle: FileSystemHandle, options: { recursive: boolean }): Promise<void>; disconnect(): void }

interface Observed {
  type: string
  relativePathComponents: readonly string[] | null
  relativePathMovedFrom: readonly string[] | null
}
