import { type ErrorCode, FsError } from '../../src/errors.js'
import { basename } from '../../src/fs/path.js'

/**
 * Translates errors of the File System Access API. A `TypeMismatchError` means that a directory was expected; code that
 * expects a file and finds a directory reports it itself. A `TypeError` is how the API rejects a name.
 */
export function fromDomException(error: unknown, path: string): FsError {
  if (error instanceof FsError) return error
  const options = { cause: error }
  if (error instanceof TypeError) {
    const reason = path.includes('\\') ? 'reserved-character' : 'reserved-name'
    return new FsError('INVALID_PATH', { path, reason }, options)
  }
  const name = error instanceof Error ? error.name : 'unknown'
  if (name === 'InvalidStateError' && hasLongName(path)) {
    return new FsError('INVALID_PATH', { path, reason: 'name-too-long' }, options)
  }
  if (name === 'NotSupportedError') return new FsError('UNSUPPORTED', { path, operation: 'createWritable' }, options)
  const code = codes[name]
  return code === undefined ? new FsError('IO', { path, detail: name }, options) : new FsError(code, { path }, options)
}

/** True for a `DOMException` with one of these names. */
export function isDomException(error: unknown, ...names: string[]): boolean {
  return error instanceof DOMException && names.includes(error.name)
}

/** In a local folder the name of the swap file can be too long for the disk, which the browser does not report as such. */
function hasLongName(path: string): boolean {
  return encoder.encode(`${basename(path)}.crswap`).length > 255
}

const encoder = new TextEncoder()

/** Codes whose only fact is the path. */
type PathOnlyCode = { [Code in ErrorCode]: { path: string } extends FsError<Code>['facts'] ? Code : never }[ErrorCode]

const codes: Partial<Record<string, PathOnlyCode>> = {
  NotFoundError: 'NOT_FOUND',
  TypeMismatchError: 'NOT_A_DIRECTORY',
  InvalidModificationError: 'NOT_EMPTY',
  NoModificationAllowedError: 'BUSY',
  // The file was replaced after its handle was taken.
  InvalidStateError: 'BUSY',
  NotReadableError: 'BUSY',
  NotAllowedError: 'DENIED',
  SecurityError: 'DENIED',
  // Chromium's error when Safe Browsing blocks a write.
  AbortError: 'DENIED',
  QuotaExceededError: 'NO_SPACE',
}
