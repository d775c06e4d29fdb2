import { type ErrorCode, FsError } from '../errors.js'

/** The one translation of errno-style errors (`node:fs`, memfs) into ours. Anything it does not know becomes `IO`. */
export function fromErrno(error: unknown, path: string, to = path): FsError {
  if (error instanceof FsError) return error
  const errno = errnoOf(error)
  const options = { cause: error }
  switch (errno) {
    case 'ENAMETOOLONG':
      return new FsError('INVALID_PATH', { path, reason: 'name-too-long' }, options)
    case 'EINVAL':
      if (to !== path) return new FsError('INTO_ITSELF', { path, to }, options)
      break
    case 'EXDEV':
      return new FsError('CROSS_DEVICE', { path, to }, options)
    default: {
      const code = codes[errno]
      if (code !== undefined) return new FsError(code, { path }, options)
    }
  }
  return new FsError('IO', { path, detail: errno }, options)
}

/** The error's errno code; its name if it has none, for the detail of `IO`. */
function errnoOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Codes whose only fact is the path. */
type PathOnlyCode = { [Code in ErrorCode]: FsError<Code>['facts'] extends { path: string } ? Code : never }[ErrorCode]

const codes: Partial<Record<string, PathOnlyCode & ErrorCode>> = {
  ENOENT: 'NOT_FOUND',
  EEXIST: 'EXISTS',
  ENOTDIR: 'NOT_A_DIRECTORY',
  EISDIR: 'IS_A_DIRECTORY',
  ENOTEMPTY: 'NOT_EMPTY',
  ELOOP: 'IS_LINK',
  EACCES: 'DENIED',
  EPERM: 'DENIED',
  EROFS: 'READ_ONLY',
  EBUSY: 'BUSY',
  ETXTBSY: 'BUSY',
  ENOSPC: 'NO_SPACE',
  EDQUOT: 'NO_SPACE',
  EMFILE: 'TOO_MANY_OPEN',
  ENFILE: 'TOO_MANY_OPEN',
  ENXIO: 'SPECIAL_FILE',
}
