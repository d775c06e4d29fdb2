import { isLeftover, replaceWhole } from './whole-file.js'

/** Copies a directory into an empty one. False when the original changed during the copy, so that the two may differ. */
export async function copyDirectory(from: FileSystemDirectoryHandle, to: FileSystemDirectoryHandle): Promise<boolean> {
  const before = await copyEntries(from, to, '')
  const after = await versions(from, '')
  return before.size === after.size && [...before].every(([path, version]) => after.get(path) === version)
}

async function copyEntries(
  from: FileSystemDirectoryHandle,
  to: FileSystemDirectoryHandle,
  prefix: string,
): Promise<Map<string, string>> {
  const copied = new Map<string, string>()
  await forEachEntry(from, async (handle) => {
    const path = `${prefix}/${handle.name}`
    if (isDirectory(handle)) {
      copied.set(path, 'directory')
      const below = await copyEntries(handle, await to.getDirectoryHandle(handle.name, { create: true }), path)
      for (const [name, version] of below) copied.set(name, version)
      return
    }
    const file = await (handle as FileSystemFileHandle).getFile()
    copied.set(path, versionOf(file))
    await replaceWhole(await to.getFileHandle(handle.name, { create: true }), file)
  })
  return copied
}

/** Every entry below the directory, with a version of each file that changes when it is written. */
async function versions(directory: FileSystemDirectoryHandle, prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await forEachEntry(directory, async (handle) => {
    const path = `${prefix}/${handle.name}`
    if (!isDirectory(handle)) return void found.set(path, versionOf(await (handle as FileSystemFileHandle).getFile()))
    found.set(path, 'directory')
    for (const [name, version] of await versions(handle, path)) found.set(name, version)
  })
  return found
}

/** Visits sixteen entries concurrently: each call mostly waits for another process. */
async function forEachEntry(
  directory: FileSystemDirectoryHandle,
  visit: (handle: FileSystemHandle) => Promise<void>,
): Promise<void> {
  const handles: FileSystemHandle[] = []
  for await (const handle of directory.values()) if (!isLeftover(handle.name)) handles.push(handle)
  const next = handles.values()
  async function visitNext(): Promise<void> {
    for (const handle of next) await visit(handle)
  }
  await Promise.all(Array.from({ length: 16 }, visitNext))
}

function isDirectory(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

function versionOf({ size, lastModified }: File): string {
  return `${size} ${lastModified}`
}
