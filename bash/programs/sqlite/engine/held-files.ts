/** Files as the engine sees them: at once, so in memory. What it asks for and is not here yet is noted, and fetched before it asks again. */
import { isFsError } from '../../../../src/errors.js'
import { dirname, isWithin } from '../../../../src/fs/path.js'
import type { Bytes, Stat } from '../../../../src/fs/types.js'
import type { ProgramIo, ShellFiles } from '../../../io/program.js'
import { modifiedOf } from '../../files/shared/facts.js'

export interface HeldFile {
  bytes: Uint8Array<ArrayBuffer>
  size: number
  isWritable: boolean
  inode: number
  /** It differs from the file of the command. */
  isChanged: boolean
  /** Of the file of the command, when it was fetched or saved. */
  stamp?: string
}

export interface HeldFiles {
  /** Undefined: there is no such file, or nobody knows yet. Links are followed. */
  get(path: string): HeldFile | undefined
  /** Where a link leads. */
  linkAt(path: string): string | undefined
  /** A directory in which a file is held, or was looked for. */
  isDirectory(path: string): boolean
  /** True when it is known that there is none, and one can be made. */
  canCreate(path: string): boolean
  create(path: string): HeldFile
  remove(path: string): boolean
  /** For the size of a file that grows. */
  resize(file: HeldFile, size: number): void
  /** To be called for a path that is asked for. False: it has to be fetched first. */
  isKnown(path: string): boolean
  /** Something was asked for that has to be fetched first. */
  hasMissed(): boolean
  /** One of the databases has a write-ahead log. */
  hasLog(): boolean
  /** Fetches what was asked for and not known. False: there was nothing. */
  fetchMissed(): Promise<boolean>
  /** A database with the files beside it that belong to it. */
  fetchDatabase(path: string): Promise<void>
  fetch(path: string): Promise<void>
  /** Writes what changed to the command's files. */
  save(): Promise<void>
  /** After other programs ran: what they changed is fetched. */
  refresh(): Promise<void>
}

/** What a database has beside itself while it is used. */
const companions = ['-journal', '-wal', '-shm']
const firstBytes = 4096
/** In the header of a database. */
const logVersionAt = 18
const logVersion = 2
const accountedAtOnce = 8 << 20
const ownerWrites = 0o200

export function heldFiles(io: ProgramIo): HeldFiles {
  const files = new Map<string, HeldFile>()
  const links = new Map<string, string>()
  /** Known not to be there; true where one can be made. */
  const absent = new Map<string, boolean>()
  /** Removed here, and still to be removed from the command's files. */
  const removed = new Set<string>()
  const missed = new Set<string>()
  let inodes = 1

  const resolved = (path: string) => links.get(path) ?? path

  function count(bytes: number): void {
    for (let left = bytes; left > 0; left -= accountedAtOnce) io.account(Math.min(left, accountedAtOnce))
  }

  function hold(bytes: Bytes, isWritable: boolean, isChanged: boolean): HeldFile {
    inodes += 1
    count(bytes.length)
    return { bytes: bytes.slice(), size: bytes.length, isWritable, inode: inodes, isChanged }
  }

  async function fetch(given: string): Promise<void> {
    if (isKnown(given)) return
    const path = await realPath(given)
    if (path !== given) links.set(given, path)
    const stat = await statOf(io.fs, path)
    if (stat === undefined) {
      absent.set(path, await isUsableDirectory(io.fs, dirname(path)))
      return
    }
    if (stat.kind !== 'file') {
      absent.set(path, false)
      return
    }
    const file = hold(await io.fs.readFile(path), isWritable(io.fs, stat), false)
    file.stamp = stampOf(stat)
    files.set(path, file)
  }

  async function realPath(path: string): Promise<string> {
    try {
      return (await io.fs.lstat(path)).kind === 'symlink' ? await io.fs.realPath(path) : path
    } catch (error) {
      if (isFsError(error)) return path
      throw error
    }
  }

  function isKnown(path: string): boolean {
    return files.has(resolved(path)) || absent.has(resolved(path))
  }

  async function save(): Promise<void> {
    for (const path of removed) {
      removed.delete(path)
      await io.fs.remove(path)
    }
    for (const [path, file] of files) {
      if (!file.isChanged || path.endsWith('-shm')) continue
      await io.fs.writeFile(path, file.bytes.slice(0, file.size))
      file.isChanged = false
      const stat = await statOf(io.fs, path)
      if (stat !== undefined) file.stamp = stampOf(stat)
    }
  }

  return {
    get: (path) => files.get(resolved(path)),
    linkAt: (path) => links.get(path),
    isDirectory: (path) => [...files.keys(), ...absent.keys()].some((each) => isWithin(path, each) && each !== path),
    canCreate: (path) => absent.get(resolved(path)) === true,
    create(path) {
      const file = hold(new Uint8Array(), true, true)
      files.set(resolved(path), file)
      absent.delete(resolved(path))
      removed.delete(resolved(path))
      return file
    },
    remove(given) {
      const path = resolved(given)
      const file = files.get(path)
      if (file === undefined) return false
      files.delete(path)
      absent.set(path, true)
      if (file.stamp !== undefined) removed.add(path)
      return true
    },
    resize(file, size) {
      if (size > file.bytes.length) {
        const capacity = Math.max(size, file.bytes.length * 2, firstBytes)
        count(capacity - file.bytes.length)
        const grown = new Uint8Array(capacity)
        grown.set(file.bytes.subarray(0, file.size))
        file.bytes = grown
      } else if (size < file.size) file.bytes.fill(0, size, file.size)
      file.size = size
      file.isChanged = true
    },
    isKnown(path) {
      if (isKnown(path)) return true
      missed.add(path)
      return false
    },
    hasMissed: () => missed.size > 0,
    hasLog: () =>
      [...files.values()].some(({ bytes, size }) => size > logVersionAt && bytes[logVersionAt] === logVersion),
    async fetchMissed() {
      const all = [...missed]
      missed.clear()
      for (const path of all) for (const end of ['', ...companions]) await fetch(path + end)
      return all.length > 0
    },
    async fetchDatabase(path) {
      await fetch(path)
      for (const end of companions) await fetch(resolved(path) + end)
    },
    fetch,
    save,
    async refresh() {
      absent.clear()
      links.clear()
      for (const [path, file] of files) {
        const stat = await statOf(io.fs, path)
        if (stat === undefined || stampOf(stat) === file.stamp) continue
        const bytes = await io.fs.readFile(path)
        count(bytes.length)
        Object.assign(file, { bytes: bytes.slice(), size: bytes.length, isChanged: false, stamp: stampOf(stat) })
      }
    },
  }
}

async function statOf(fs: ShellFiles, path: string): Promise<Stat | undefined> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

function isWritable(fs: ShellFiles, stat: Stat): boolean {
  return !fs.capabilities.modeBits || ((stat.mode ?? ownerWrites) & ownerWrites) !== 0
}

async function isUsableDirectory(fs: ShellFiles, path: string): Promise<boolean> {
  const stat = await statOf(fs, path)
  return stat?.kind === 'directory' && isWritable(fs, stat)
}

function stampOf(stat: Stat): string {
  return `${stat.inode} ${stat.size} ${modifiedOf(stat)}`
}
