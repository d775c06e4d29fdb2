/** The files of a command as its worker sees them: every operation is asked of the shell, which keeps them. */
import { FsError } from '../../../errors.js'
import type { Bytes, Capabilities, Entry, FileSystem, Stat } from '../../../fs/types.js'
import type { FileMethod, WireError } from '../messages.js'
import type { ProgramCall, ProgramResult } from '../program-calls.js'

export interface RemoteFiles extends FileSystem {
  /** The path with every link followed. What is there must exist. */
  realPath(path: string): Promise<string>
  /** Creates the file where there is none. */
  append(path: string, data: Bytes): Promise<void>
  /** Runs one of the shell's own programs on these files. */
  program(name: string, call: ProgramInput): Promise<ProgramResult>
}

/** What a worker knows of the call of a program. */
export type ProgramInput = Pick<ProgramCall, 'args' | 'cwd' | 'env' | 'stdin'>

/** Sends a call on its way; what it resolves to is what the method of that name returns on the other side. */
export type Ask = (method: FileMethod, given: unknown[]) => Promise<unknown>

export function remoteFiles(capabilities: Capabilities, ask: Ask): RemoteFiles {
  const tell = async (method: FileMethod, ...given: unknown[]) => void (await ask(method, given))
  return {
    // Nothing tells of changes through here.
    capabilities: { ...capabilities, watch: false, sync: false },
    stat: async (path) => (await ask('stat', [path])) as Stat,
    readFile: async (path, range) => (await ask('readFile', [path, range])) as Bytes,
    readDir: async (path) => (await ask('readDir', [path])) as Entry[],
    realPath: async (path) => (await ask('realPath', [path])) as string,
    writeFile: (path, data, options) => tell('writeFile', path, data, options),
    append: (path, data) => tell('append', path, data),
    program: async (name, call) => (await ask('program', [name, call])) as ProgramResult,
    makeDir: (path) => tell('makeDir', path),
    remove: (path) => tell('remove', path),
    rename: (from, to) => tell('rename', from, to),
    ...(capabilities.symlinks && {
      symlink: (target: string, path: string) => tell('symlink', target, path),
      readLink: async (path: string) => (await ask('readLink', [path])) as string,
    }),
    ...(capabilities.modeBits && { setMode: (path: string, mode: number) => tell('setMode', path, mode) }),
    ...(capabilities.modified === 'write' && {
      setModified: (path: string, modifiedMs: number) => tell('setModified', path, modifiedMs),
    }),
  }
}

export function toWire(error: unknown): WireError {
  return error instanceof FsError ? { code: error.code, facts: error.facts } : { code: 'INTERNAL', facts: {} }
}

export function fromWire({ code, facts }: WireError): FsError {
  return new FsError(code, facts)
}
