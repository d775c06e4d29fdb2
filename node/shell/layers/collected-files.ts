/** What a command has left in its upper layer, as a file system that can only be read. */
import fs from 'node:fs'
import { FsError, isFsError } from '../../../src/errors.js'
import { fromErrno } from '../../../src/fs/errno.js'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'
import type { Capabilities, FileSystem } from '../../../src/fs/types.js'
import type { UpperEntry } from './collect-changes.js'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

/** `gate` says what of the entries the workspace can store. */
export function collectedFiles(entries: ReadonlyMap<string, UpperEntry>, gate: ConfinedFileSystem): FileSystem {
  const { modeBits, modified, symlinks } = gate.capabilities
  const given = new Map<string, number>()

  function find(path: string): UpperEntry {
    const entry = entries.get(path)
    if (entry === undefined) throw new FsError('NOT_FOUND', { path })
    return entry
  }

  const refuse = async (path: string): Promise<never> => {
    throw new FsError('READ_ONLY', { path })
  }

  const capabilities: Capabilities = {
    ...gate.capabilities,
    writable: false,
    modified: modified === 'none' ? 'none' : 'read',
    watch: false,
    sync: false,
  }

  return {
    capabilities,
    async stat(path) {
      const { mode: first, modifiedMs, ...stat } = find(path).stat
      const mode = given.get(path) ?? first
      return { ...stat, ...(modeBits && { mode }), ...(modified !== 'none' && { modifiedMs }) }
    },
    async readFile(path, range) {
      const { file, stat } = find(path)
      const mode = given.get(path) ?? stat.mode
      // As the file systems that can't store what nobody may read.
      if ((mode & 0o400) === 0 && given.get(path) === undefined) throw new FsError('DENIED', { path })
      try {
        if ((stat.mode & 0o400) === 0) fs.chmodSync(file, stat.mode | 0o400)
        const bytes = readWhole(file)
        return range === undefined ? bytes : bytes.subarray(range.start, range.end)
      } catch (error) {
        throw fromErrno(error, path)
      }
    },
    readDir: async (path) => {
      throw new FsError('UNSUPPORTED', { path, operation: 'readDir' })
    },
    ...(symlinks && {
      async readLink(path, { verbatim = false } = {}) {
        const target = fs.readlinkSync(find(path).file)
        if (!verbatim && !leadsInside(gate, path, target)) throw new FsError('OUTSIDE', { path })
        return target
      },
    }),
    ...(modeBits && {
      async setMode(path: string, mode: number) {
        find(path)
        given.set(path, mode)
      },
    }),
    writeFile: refuse,
    makeDir: refuse,
    remove: refuse,
    rename: refuse,
  }
}

function readWhole(file: string): Uint8Array {
  const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const bytes = fs.readFileSync(descriptor)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  } finally {
    fs.closeSync(descriptor)
  }
}

function leadsInside(gate: ConfinedFileSystem, path: string, target: string): boolean {
  try {
    gate.checkTarget(path, target)
    return true
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}
