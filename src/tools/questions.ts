/** A request of the protocol that a server may make of a client: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  params?: Readonly<Record<string, unknown>>
}

/**
 * Thrown by a tool or a prompt that can't go on before the client has answered. It is called again from the start, with the answers under the
 * names of the questions; what else it has to know then is its `state`, which the client keeps and can read but not change.
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
