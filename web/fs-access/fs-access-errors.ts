import { type ErrorCode, FsError } from '../../src/errors.js'
import { basename } from '../../src/fs/path.js'

/**
 * The one translation of what the File System Access API throws. A `TypeMismatchError` means that a directory was needed:
 * who asks for a file and meets a directory says so itself. A `TypeError` is how the API refuses a name.
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
  const code = codes[name]
  return code === undefined ? new FsError('IO', { path, detail: name }, options) : new FsError(code, { path }, options)
}

/** True for an exception of the API with one of these names. */
export function isDomException(error: unknown, ...names: string[]): boolean {
  return error instanceof DOMException && names.includes(error.name)
}

/** In a local folder the swap file has to have a name too: the disk does not take it, and the browser does not say so. */
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
  // The file was replaced between taking a handle of it and using that.
  InvalidStateError: 'BUSY',
  NotReadableError: 'BUSY',
  NotAllowedError: 'DENIED',
  SecurityError: 'DENIED',
  // How Chromium reports that Safe Browsing blocked a write.
  AbortError: 'DENIED',
  QuotaExceededError: 'NO_SPACE',
}
