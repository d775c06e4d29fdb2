import fs from 'node:fs'
import { basename, join } from '../../src/fs/path.js'
import { isStagedName } from '../../src/fs/staged-name.js'
import type { FileChange, Unwatch } from '../../src/fs/types.js'
import type { Place } from './anchor.js'

/** Reports changes at a path, or directly below it, until the returned function is called. */
export function watchEntry(virtual: string, place: Place, onChange: (change: FileChange) => void): Unwatch {
  const entry = place.pinned()
  const isDirectory = fs.statSync(entry).isDirectory()
  // A write replaces the file, and a watch of the file itself would stay with the replaced one.
  const watcher = fs.watch(watchable(isDirectory ? entry : place.parent), { persistent: false })
  watcher.on('change', (_event, name) => {
    if (!isDirectory && name !== null && name !== basename(virtual)) return
    const changed = isDirectory && name !== null ? join(virtual, String(name)) : virtual
    if (!isStagedName(basename(changed))) onChange({ path: changed })
  })
  // The watched entry may vanish; an unhandled error would end the process.
  watcher.on('error', () => watcher.close())
  return () => watcher.close()
}

/** Deno reports nothing for a descriptor's path in /proc, only for the directory itself. A watch reports names, and reads nothing. */
function watchable(directory: string): string {
  return process.versions.deno === undefined ? directory : fs.realpathSync(directory)
}
