/** Something that the agent is not responsible for: a judge or a model out of reach, a scorer that throws. The result is missing, not 0. */
export class InfraError extends Error {
  override readonly name = 'InfraError'
}

/** The reason in one line, for messages. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n', 1)[0] as string
}
