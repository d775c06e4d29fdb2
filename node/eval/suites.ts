/** Tasks from directories of this machine. */
import { createHash, type Hash } from 'node:crypto'
import { type Dirent, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import path from 'node:path'
import { loadSuite, type Suite } from '../../harness/tasks/load-suite.js'
import { mount } from '../../src/fs/backends/mount.js'
import { toVirtual } from '../disk/host-path.js'
import { nodeFs } from '../disk/node-fs.js'
import { UsageError } from '../terminal/usage-error.js'

/** As `loadSuite` looks for tasks. */
const maxDepth = 6

/** Throws a `TaskError` that lists everything that is wrong, with paths of this machine. */
export async function loadSuites(directories: readonly string[]): Promise<Suite> {
  const places = existing(directories)
  // Each at its own path, so that messages name the files as the user knows them.
  const fs = mount(Object.fromEntries(places.map((place) => [toVirtual(place), nodeFs(place)])))
  return loadSuite(
    fs,
    places.map((place) => toVirtual(place)),
  )
}

/** Of the paths, modes and contents of all files in the folders of tasks. Where the suites are does not matter. */
export function hashSuites(directories: readonly string[]): string {
  const hash = createHash('sha256')
  const folders = existing(directories).flatMap((directory) => taskFolders(directory, maxDepth))
  for (const folder of folders.sort(byName)) {
    field(hash, path.basename(folder))
    hashFolder(hash, folder)
  }
  return hash.digest('hex')
}

function existing(directories: readonly string[]): string[] {
  const places = directories.map((directory) => path.resolve(directory))
  for (const place of places) {
    if (!existsSync(place)) throw new UsageError(`no such directory: ${place}`)
    if (!statSync(place).isDirectory()) throw new UsageError(`not a directory: ${place}`)
  }
  return places
}

/** As `loadSuite` finds them, so that results beside them do not count. */
function taskFolders(directory: string, depth: number): string[] {
  if (existsSync(path.join(directory, 'task.toml'))) return [directory]
  if (depth === 0) return []
  return entriesOf(directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap(({ name }) => taskFolders(path.join(directory, name), depth - 1))
}

function hashFolder(hash: Hash, folder: string): void {
  for (const entry of entriesOf(folder)) {
    const file = path.join(folder, entry.name)
    field(hash, entry.name)
    if (entry.isDirectory()) {
      field(hash, 'directory')
      hashFolder(hash, file)
      field(hash, 'end')
    } else if (entry.isSymbolicLink()) field(hash, `link ${readlinkSync(file)}`)
    else if (entry.isFile()) {
      // Of the mode only what tasks see on every machine.
      field(hash, (statSync(file).mode & 0o100) === 0 ? 'file' : 'program')
      field(hash, readFileSync(file))
    }
  }
}

/** With its length, so that no two lists of fields have the same bytes. */
function field(hash: Hash, content: string | Buffer): void {
  hash.update(`${Buffer.byteLength(content)}:`).update(content)
}

function entriesOf(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true }).sort((a, b) => byName(a.name, b.name))
}

function byName(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
