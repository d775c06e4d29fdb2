/** A request that a server may send to a client: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  params?: Readonly<Record<string, unknown>>
}

/**
 * Thrown by a tool or prompt that needs answers of the client. It is then called again from the start, with the answers by the names of the
 * questions, and with its `state`, which the client stores and can read but not change.
 */
export class Questions extends Error {
  override readonly name = 'Questions'

  constructor(
    readonly questions: Readonly<Record<string, Question>>,
    readonly state?: string,
  ) {
    super(`The client is asked: ${Object.keys(questions).join(', ')}`)
  }
}
