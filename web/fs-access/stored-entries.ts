import type { StoredEntry } from '../../src/fs/backends/mirror.js'
import { join } from '../../src/fs/path.js'
import { isLeftover } from './whole-file.js'

/** Concurrent reads: the browser answers many about as fast as one. */
const concurrency = 64

/** Everything below a directory, parents first. The listing returns handles, so a file takes one call and not three. */
export async function* storedEntries(root: FileSystemDirectoryHandle): AsyncGenerator<StoredEntry> {
  let level: Array<{ path: string; handle: FileSystemDirectoryHandle }> = [{ path: '/', handle: root }]
  while (level.length > 0) {
    const listings = await Promise.all(level.map(list))
    const found = listings.flat()
    for (const { path, handle } of found) if (handle.kind === 'directory') yield { path, kind: 'directory' }
    const files = found.filter(({ handle }) => handle.kind === 'file')
    for (let start = 0; start < files.length; start += concurrency) {
      yield* await Promise.all(files.slice(start, start + concurrency).map(read))
    }
    level = found.filter(isDirectory)
  }
}

interface Found {
  path: string
  handle: FileSystemHandle
}

async function list({ path, handle }: { path: string; handle: FileSystemDirectoryHandle }): Promise<Found[]> {
  const found: Found[] = []
  for await (const [name, child] of handle.entries()) {
    if (!isLeftover(name)) found.push({ path: join(path, name), handle: child })
  }
  return found
}

function isDirectory(found: Found): found is { path: string; handle: FileSystemDirectoryHandle } {
  return found.handle.kind === 'directory'
}

async function read({ path, handle }: Found): Promise<StoredEntry> {
  const file = await (handle as FileSystemFileHandle).getFile()
  return { path, kind: 'file', bytes: new Uint8Array(await file.arrayBuffer()), modifiedMs: file.lastModified }
}
