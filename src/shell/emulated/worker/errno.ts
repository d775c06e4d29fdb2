import { type ErrorCode, isFsError } from '../../../errors.js'

/** POSIX names of failures; commands print these texts. */
const errnos: Partial<Record<ErrorCode, readonly [code: string, text: string]>> = {
  NOT_FOUND: ['ENOENT', 'no such file or directory'],
  EXISTS: ['EEXIST', 'file already exists'],
  NOT_A_DIRECTORY: ['ENOTDIR', 'not a directory'],
  IS_A_DIRECTORY: ['EISDIR', 'illegal operation on a directory'],
  NOT_EMPTY: ['ENOTEMPTY', 'directory not empty'],
  SPECIAL_FILE: ['ENXIO', 'no such device or address'],
  IS_LINK: ['ELOOP', 'too many levels of symbolic links'],
  NOT_A_LINK: ['EINVAL', 'invalid argument'],
  LINK_LOOP: ['ELOOP', 'too many levels of symbolic links'],
  READ_ONLY: ['EROFS', 'read-only file system'],
  PROTECTED: ['EACCES', 'permission denied'],
  IS_ROOT: ['EBUSY', 'device or resource busy'],
  DENIED: ['EACCES', 'permission denied'],
  INVALID_PATH: ['EINVAL', 'invalid argument'],
  INTO_ITSELF: ['EINVAL', 'invalid argument'],
  CROSS_DEVICE: ['EXDEV', 'cross-device link not permitted'],
  BUSY: ['EBUSY', 'device or resource busy'],
  NO_SPACE: ['ENOSPC', 'no space left on device'],
  TOO_LARGE: ['EFBIG', 'file too large'],
  TOO_MANY_OPEN: ['EMFILE', 'too many open files'],
  UNSUPPORTED: ['ENOTSUP', 'operation not supported'],
}

/**
 * Turns a failure into the error that commands expect. Paths outside the roots do not exist for reading and are denied
 * for writing.
 */
export function toErrno(error: unknown, call: string, path: string, right: 'read' | 'write'): unknown {
  if (!isFsError(error)) return error
  const outside = right === 'read' ? errnos.NOT_FOUND : errnos.DENIED
  const [code, text] = (error.code === 'OUTSIDE' ? outside : errnos[error.code]) ?? ['EIO', 'input/output error']
  return Object.assign(new Error(`${code}: ${text}, ${call} '${path}'`), { code })
}

/** Extracts `Permission denied` from `EACCES: permission denied, open '/x'`. */
export function reasonOf({ message }: Error): string {
  const reason = /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}
