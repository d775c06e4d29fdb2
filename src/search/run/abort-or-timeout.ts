export interface AbortOrTimeout {
  /** Resolves at the abort or when the time is up, whichever is first. */
  promise: Promise<'over'>
  cancel(): void
}

export function abortOrTimeout(signal: AbortSignal | undefined, timeoutMs: number): AbortOrTimeout {
  let cancel = () => {}
  const promise = new Promise<'over'>((resolve) => {
    const onOver = () => resolve('over')
    // Timers can't run longer.
    const timer = timeoutMs < 2 ** 31 ? setTimeout(onOver, timeoutMs + 1) : undefined
    signal?.addEventListener('abort', onOver, { once: true })
    cancel = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onOver)
    }
  })
  return { promise, cancel }
}
