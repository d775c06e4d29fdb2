/** What the C library says about a failure. */
import { type ErrorCode, isFsError } from '../../src/errors.js'

const texts: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'No such file or directory',
  EXISTS: 'File exists',
  NOT_A_DIRECTORY: 'Not a directory',
  IS_A_DIRECTORY: 'Is a directory',
  NOT_EMPTY: 'Directory not empty',
  SPECIAL_FILE: 'No such device or address',
  IS_LINK: 'Too many levels of symbolic links',
  LINK_LOOP: 'Too many levels of symbolic links',
  NOT_A_LINK: 'Invalid argument',
  READ_ONLY: 'Read-only file system',
  PROTECTED: 'Permission denied',
  FORBIDDEN: 'Permission denied',
  NEEDS_APPROVAL: 'Permission denied',
  IS_ROOT: 'Device or resource busy',
  DENIED: 'Permission denied',
  OUTSIDE: 'Permission denied',
  INVALID_PATH: 'Invalid argument',
  INTO_ITSELF: 'Invalid argument',
  CROSS_DEVICE: 'Invalid cross-device link',
  NO_SPACE: 'No space left on device',
  TOO_LARGE: 'File too large',
  UNSUPPORTED: 'Operation not supported',
  IO: 'Input/output error',
}

/** For example `No such file or directory`. Errors that no file system made are thrown on. */
export function describeError(error: unknown): string {
  if (!isFsError(error)) throw error
  return texts[error.code] ?? error.code.toLowerCase().replaceAll('_', ' ')
}
