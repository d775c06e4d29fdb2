/** Named events with typed content. A listener that throws does not stop the others. */
export interface Events<Contents> {
  on<Name extends keyof Contents>(name: Name, listener: (content: Contents[Name]) => void): () => void
  emit<Name extends keyof Contents>(name: Name, content: Contents[Name]): void
}

export function createEvents<Contents>(): Events<Contents> {
  const listeners = new Map<keyof Contents, Set<(content: never) => void>>()
  return {
    on(name, listener) {
      const known = listeners.get(name) ?? new Set()
      listeners.set(name, known.add(listener as (content: never) => void))
      return () => known.delete(listener as (content: never) => void)
    },
    emit(name, content) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(content as never)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}
