import { FsError } from '../errors.js'

/** The error for an object or file of a repository that is missing or can't be parsed. */
export function damaged(subject: string, cause?: unknown): FsError {
  return new FsError('GIT_REFUSED', { reason: 'damaged-repository', subject }, cause === undefined ? {} : { cause })
}
