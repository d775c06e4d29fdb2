/** Prepares a fork for a test script: `/tests`, `/logs/verifier` and `/tmp` have nothing of the agent's. */
import { FsError, isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { dirname, fromComponents, join, split } from '../../../src/fs/path.js'
import type { FileSystem } from '../../../src/fs/types.js'
import type { Episode, Task } from '../../types.js'
import { type Folder, kindOf, makeDirectories, placeEntry, readFolder } from '../folder.js'

export const testsDirectory = '/tests'
export const logsDirectory = '/logs/verifier'
const temporaryDirectory = '/tmp'
const writableMode = 0o755

/** Fails with an `FsError` where the agent has left a tree that can't be prepared. */
export async function freshDirectories(episode: Episode, task: Task, tests: Folder): Promise<void> {
  // Links are never followed here: a planted link is an entry like any other.
  const fs = episode.workspace.fs.exact
  await replace(fs, temporaryDirectory, await initially(task, temporaryDirectory))
  await replace(fs, logsDirectory, new Map())
  await replace(fs, testsDirectory, tests)
}

/** What a directory contained at the beginning. */
async function initially({ files }: Task, path: string): Promise<Folder | undefined> {
  const isFileSystem = 'readDir' in files && typeof files.readDir === 'function'
  return readFolder(isFileSystem ? (files as FileSystem) : memory(files as Parameters<typeof memory>[0]), path)
}

/** Puts a directory with exactly this content in place of whatever exists; without content, nothing. */
async function replace(fs: FileSystem, path: string, content: Folder | undefined): Promise<void> {
  await removeInTheWay(fs, dirname(path))
  if ((await kindOf(fs, path)) !== undefined) await moveAside(fs, path)
  if (content === undefined) return
  await makeDirectories(fs, path)
  for (const [key, entry] of content) await placeEntry(fs, join(path, key), entry)
}

/** Every directory above must be a directory that can be written to, not a link to one of the agent's. */
async function removeInTheWay(fs: FileSystem, directory: string): Promise<void> {
  const names = split(directory)
  for (let depth = 1; depth <= names.length; depth += 1) {
    const path = fromComponents(names.slice(0, depth))
    const kind = await kindOf(fs, path)
    if (kind === 'directory') await makeWritable(fs, path)
    else if (kind !== undefined) await fs.remove(path)
  }
}

/** A rename works for any content; what is left is then removed as far as that is possible. */
async function moveAside(fs: FileSystem, path: string): Promise<void> {
  const aside = await freeName(fs)
  if ((await kindOf(fs, path)) === 'directory') await makeWritable(fs, path)
  await fs.rename(path, aside)
  await removeAll(fs, aside).catch((error) => {
    if (!isFsError(error)) throw error
  })
}

async function freeName(fs: FileSystem): Promise<string> {
  for (let number = 1; number < 1000; number += 1) {
    const path = `/.before-scoring-${number}`
    if ((await kindOf(fs, path)) === undefined) return path
  }
  throw new FsError('EXISTS', { path: '/.before-scoring-999' })
}

async function removeAll(fs: FileSystem, path: string): Promise<void> {
  if ((await kindOf(fs, path)) === 'directory') {
    await makeWritable(fs, path)
    for (const { name } of await fs.readDir(path)) await removeAll(fs, join(path, name))
  }
  await fs.remove(path)
}

async function makeWritable(fs: FileSystem, path: string): Promise<void> {
  const { mode = writableMode } = await fs.stat(path)
  if ((mode & 0o700) !== 0o700) await fs.setMode?.(path, mode | 0o700)
}
