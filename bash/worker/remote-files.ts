/** The command's files as the worker sees them: every operation is a request to the host, which holds them. */
import { FsError } from '../../src/errors.js'
import type { Bytes, Capabilities, Entry, Stat } from '../../src/fs/types.js'
import type { AppendableFiles, FileStart } from '../io/command-tree.js'
import type { FileMethod, PackedAnswers, WireError } from './messages.js'
import { unpacked } from './packed-answers.js'

/** Sends a call to the host; resolves to the result of the method of that name there. */
export type Ask = (method: FileMethod, given: unknown[]) => Promise<unknown>

export function remoteFiles(capabilities: Capabilities, ask: Ask): AppendableFiles {
  const send = async (method: FileMethod, ...given: unknown[]) => void (await ask(method, given))
  return {
    // Changes are not reported through here.
    capabilities: { ...capabilities, watch: false, sync: false },
    stat: async (path) => (await ask('stat', [path])) as Stat,
    readFile: async (path, range) => (await ask('readFile', [path, range])) as Bytes,
    readDir: async (path) => (await ask('readDir', [path])) as Entry[],
    realPath: async (path) => (await ask('realPath', [path])) as string,
    writeFile: (path, data, options) => send('writeFile', path, data, options),
    append: (path, data) => send('append', path, data),
    readStart: async (path, length) => (await ask('readStart', [path, length])) as FileStart,
    async readStarts(directory, names, wanted) {
      const answers = unpacked((await ask('readStarts', [directory, names.join('/'), wanted])) as PackedAnswers)
      return answers.map((answer) => ('error' in answer ? fromWire(answer.error) : (answer.value as FileStart)))
    },
    makeDir: (path) => send('makeDir', path),
    remove: (path) => send('remove', path),
    rename: (from, to) => send('rename', from, to),
    ...(capabilities.symlinks && {
      symlink: (target: string, path: string) => send('symlink', target, path),
      readLink: async (path: string) => (await ask('readLink', [path])) as string,
    }),
    ...(capabilities.modeBits && { setMode: (path: string, mode: number) => send('setMode', path, mode) }),
    ...(capabilities.modified === 'write' && {
      setModified: (path: string, modifiedMs: number) => send('setModified', path, modifiedMs),
    }),
  }
}

export function toWire(error: unknown): WireError {
  return error instanceof FsError ? { code: error.code, facts: error.facts } : { code: 'INTERNAL', facts: {} }
}

export function fromWire({ code, facts }: WireError): FsError {
  return new FsError(code, facts)
}
