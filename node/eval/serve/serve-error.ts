/** A request that can't be answered as asked; the message is a sentence for whoever wrote the client. */
export class ServeError extends Error {
  override readonly name = 'ServeError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
