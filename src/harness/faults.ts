/** A file system that fails when told to, for proving what happens then. */
import { type ErrorFacts, FsError } from '../errors.js'
import { withPieces } from '../fs/sync-calls.js'
import type { Bytes, FileSystem, LinkOptions, RenameOptions, WriteOptions } from '../fs/types.js'

/** One call of the file system, as whoever decides about it sees it. */
export interface FileOperation {
  name: OperationName
  path: string
  /** The other path of a rename. */
  to?: string
  /** A write of a file that is still to be renamed into place. */
  staged: boolean
}

export type OperationName =
  | 'stat'
  | 'readFile'
  | 'writeFile'
  | 'readDir'
  | 'makeDir'
  | 'remove'
  | 'rename'
  | 'makeDurable'
  | 'symlink'
  | 'readLink'
  | 'setMode'
  | 'setModified'
  | 'open'

export interface FaultyOptions {
  /** Asked before every operation; what it returns is what the operation fails with. */
  fail: (operation: FileOperation) => FsError | undefined
  /**
   * What a failing operation has done all the same: nothing (default), all of it, or, where it writes a staged file, a part.
   * Reading has done nothing either way.
   */
  effect?: 'none' | 'all' | 'part'
  /** Waited for before every operation: a slow disk, or an occasion to look. */
  before?: (operation: FileOperation) => Promise<void>
}

/** `fs` with faults. Its capabilities are the same: what fails is there, and fails. */
export function faulty(fs: FileSystem, { fail, effect = 'none', before }: FaultyOptions): FileSystem {
  async function attempt<Result>(
    operation: Omit<FileOperation, 'staged'> & { staged?: boolean },
    run: () => Promise<Result>,
    partly?: () => Promise<void>,
  ): Promise<Result> {
    const told = { staged: false, ...operation }
    await before?.(told)
    const fault = fail(told)
    if (fault === undefined) return run()
    if (effect === 'all') await run()
    if (effect === 'part' && told.staged) await partly?.()
    throw fault
  }

  const { pieces } = fs.writeFile
  const { makeDurable, symlink, readLink, setMode, setModified, open, watch } = fs
  return {
    capabilities: fs.capabilities,
    stat: (path) => attempt({ name: 'stat', path }, () => fs.stat(path)),
    readFile: (path, range) => attempt({ name: 'readFile', path }, () => fs.readFile(path, range)),
    writeFile: withPieces(
      (path: string, data: Bytes, options: WriteOptions = {}) =>
        attempt(
          { name: 'writeFile', path, staged: options.staged !== undefined },
          () => fs.writeFile(path, data, options),
          () => fs.writeFile(path, data.subarray(0, data.length >> 1), options),
        ),
      pieces &&
        ((path, given, options) =>
          attempt(
            { name: 'writeFile', path, staged: true },
            () => pieces(path, given, options),
            () => fs.writeFile(path, new Uint8Array(1), options),
          )),
    ),
    readDir: (path) => attempt({ name: 'readDir', path }, () => fs.readDir(path)),
    makeDir: (path) => attempt({ name: 'makeDir', path }, () => fs.makeDir(path)),
    remove: (path, options) => attempt({ name: 'remove', path }, () => fs.remove(path, options)),
    rename: (from: string, to: string, options?: RenameOptions) =>
      attempt({ name: 'rename', path: from, to }, () => fs.rename(from, to, options)),
    ...(makeDurable && {
      makeDurable: (path: string) => attempt({ name: 'makeDurable', path }, () => makeDurable(path)),
    }),
    ...(symlink && {
      symlink: (target: string, path: string, options?: LinkOptions) =>
        attempt({ name: 'symlink', path }, () => symlink(target, path, options)),
    }),
    ...(readLink && {
      readLink: (path: string, options?: LinkOptions) =>
        attempt({ name: 'readLink', path }, () => readLink(path, options)),
    }),
    ...(setMode && {
      setMode: (path: string, mode: number) => attempt({ name: 'setMode', path }, () => setMode(path, mode)),
    }),
    ...(setModified && {
      setModified: (path: string, ms: number) => attempt({ name: 'setModified', path }, () => setModified(path, ms)),
    }),
    ...(open && { open: (path: string) => attempt({ name: 'open', path }, () => open(path)) }),
    ...(watch && { watch }),
  }
}

/** Codes that a disk may answer with at any moment. */
export const faultCodes = ['NO_SPACE', 'IO', 'DENIED', 'READ_ONLY', 'BUSY', 'TOO_MANY_OPEN'] as const

export type FaultCode = (typeof faultCodes)[number]

export interface FaultPlan {
  fail: FaultyOptions['fail']
  /** The operations so far, whether they failed or not. */
  readonly operations: readonly FileOperation[]
}

/**
 * Fails the operation with the given number, counting from 1 over all file systems that share the plan; with `sticky` all that
 * follow as well.
 */
export function failAt(number: number, code: FaultCode, { sticky = false } = {}): FaultPlan {
  const operations: FileOperation[] = []
  return {
    operations,
    fail(operation) {
      operations.push(operation)
      const fails = sticky ? operations.length >= number : operations.length === number
      return fails ? faultOf(code, operation.path) : undefined
    },
  }
}

function faultOf(code: FaultCode, path: string): FsError {
  const facts: ErrorFacts['IO'] = { path, detail: 'EIO' }
  return code === 'IO' ? new FsError(code, facts) : new FsError(code, { path })
}
