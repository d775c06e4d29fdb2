/** A file system with injected faults, for testing error handling. */
import { type ErrorFacts, FsError } from '../src/errors.js'
import { transactional } from '../src/fs/transactional.js'
import type { Bytes, FileSystem, LinkOptions, Pieces, WriteOptions } from '../src/fs/types.js'

/** One call of the file system, as `fail` and `before` see it. */
export interface FileOperation {
  name: OperationName
  path: string
  /** The other path of a rename. */
  to?: string
  /** True for a write of a file that is renamed into place later. */
  staged: boolean
  /** The file that a staged one will replace, if there is one. */
  replaces?: string
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
  /** Called before every operation; the operation fails with the error it returns. */
  fail: (operation: FileOperation) => FsError | undefined
  /**
   * How much of its effect a failing operation has anyway: none (default), all, or, for a write of a staged file, a
   * part. Reads have no effect either way.
   */
  effect?: 'none' | 'all' | 'part'
  /** Awaited before every operation, to simulate a slow disk or to inspect the state. */
  before?: (operation: FileOperation) => Promise<void>
}

/** `fs` with faults. Its capabilities do not change. */
export function faulty(fs: FileSystem, { fail, effect = 'none', before }: FaultyOptions): FileSystem {
  async function attempt<Result>(
    operation: Omit<FileOperation, 'staged'> & { staged?: boolean },
    run: () => Promise<Result>,
    partly?: () => Promise<void>,
  ): Promise<Result> {
    const described = { staged: false, ...operation }
    await before?.(described)
    const fault = fail(described)
    if (fault === undefined) return run()
    if (effect === 'all') await run()
    if (effect === 'part' && described.staged) await partly?.()
    throw fault
  }

  const inner = transactional(fs)
  const { makeDurable } = inner
  const { symlink, readLink, setMode, setModified, open, watch } = fs
  const plain: FileSystem = {
    capabilities: fs.capabilities,
    stat: (path) => attempt({ name: 'stat', path }, () => fs.stat(path)),
    readFile: (path, range) => attempt({ name: 'readFile', path }, () => fs.readFile(path, range)),
    writeFile: (path: string, data: Bytes, options: WriteOptions = {}) =>
      attempt({ name: 'writeFile', path }, () => fs.writeFile(path, data, options)),
    readDir: (path) => attempt({ name: 'readDir', path }, () => fs.readDir(path)),
    makeDir: (path) => attempt({ name: 'makeDir', path }, () => fs.makeDir(path)),
    remove: (path) => attempt({ name: 'remove', path }, () => fs.remove(path)),
    rename: (from, to) => attempt({ name: 'rename', path: from, to }, () => fs.rename(from, to)),
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
  return {
    ...plain,
    transactional: {
      statAndRead: transactional(plain).statAndRead,
      stageFile: (path, content, options) =>
        attempt(
          {
            name: 'writeFile',
            path,
            staged: true,
            ...(options.replaces !== undefined && { replaces: options.replaces }),
          },
          () => inner.stageFile(path, content, options),
          () => inner.stageFile(path, partOf(content), options),
        ),
      rename: (from, to) => attempt({ name: 'rename', path: from, to }, () => inner.rename(from, to)),
      remove: (path) => attempt({ name: 'remove', path }, () => inner.remove(path)),
      ...(makeDurable && {
        makeDurable: (path: string) => attempt({ name: 'makeDurable', path }, () => makeDurable(path)),
      }),
    },
  }
}

function partOf(content: Bytes | Pieces): Bytes {
  return content instanceof Uint8Array ? content.subarray(0, content.length >> 1) : new Uint8Array(1)
}

/** Codes that any disk operation may fail with. */
export const faultCodes = ['NO_SPACE', 'IO', 'DENIED', 'READ_ONLY', 'BUSY', 'TOO_MANY_OPEN'] as const

export type FaultCode = (typeof faultCodes)[number]

export interface FaultPlan {
  fail: FaultyOptions['fail']
  /** All operations so far, failed or not. */
  readonly operations: readonly FileOperation[]
}

/** Fails operation `number`, counted from 1 over all file systems that share the plan; with `sticky`, all later ones too. */
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
