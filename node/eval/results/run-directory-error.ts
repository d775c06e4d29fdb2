/** A directory that is no run, a damaged one, or one that is in use. */
export class RunDirectoryError extends Error {
  override readonly name = 'RunDirectoryError'
}
