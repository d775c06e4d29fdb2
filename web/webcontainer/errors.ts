import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'

/**
 * Translates errors of a container. They lose their code on the way out of its frame; what is left is a message that
 * begins with it, as in Node.
 */
export function fromContainer(error: unknown, path: string): FsError {
  if (error instanceof FsError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = /\b(E[A-Z]{3,})\b/.exec(message)?.[1]
  return code === undefined
    ? new FsError('IO', { path, detail: message.slice(0, 200) }, { cause: error })
    : fromErrno(Object.assign(new Error(message), { code }), path)
}
