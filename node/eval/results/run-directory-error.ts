/** A directory that is not a run, a damaged one, or one that is in use. */
export class RunDirectoryError extends Error {
  override readonly name = 'RunDirectoryError'
}
