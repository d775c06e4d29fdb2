/** Failures of files by the names of `errno.h`, as Node and Python have them. */
import { type ErrorCode, isFsError } from '../../src/errors.js'

const codes: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'ENOENT',
  EXISTS: 'EEXIST',
  NOT_A_DIRECTORY: 'ENOTDIR',
  IS_A_DIRECTORY: 'EISDIR',
  NOT_EMPTY: 'ENOTEMPTY',
  SPECIAL_FILE: 'ENXIO',
  IS_LINK: 'ELOOP',
  LINK_LOOP: 'ELOOP',
  NOT_A_LINK: 'EINVAL',
  READ_ONLY: 'EROFS',
  PROTECTED: 'EACCES',
  FORBIDDEN: 'EACCES',
  NEEDS_APPROVAL: 'EACCES',
  IS_ROOT: 'EBUSY',
  DENIED: 'EACCES',
  OUTSIDE: 'EACCES',
  INVALID_PATH: 'EINVAL',
  INTO_ITSELF: 'EINVAL',
  CROSS_DEVICE: 'EXDEV',
  NO_SPACE: 'ENOSPC',
  TOO_LARGE: 'EFBIG',
  UNSUPPORTED: 'ENOTSUP',
}

/** For example `ENOENT`. Errors that no file system made are thrown on. */
export function codeOf(error: unknown): string {
  if (!isFsError(error)) throw error
  return codes[error.code] ?? 'EIO'
}
