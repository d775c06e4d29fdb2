/** Resolves when something is aborted or out of time. */
export function whenOver(signal: AbortSignal | undefined, leftMs: number) {
  let cancel = () => {}
  const promise = new Promise<'over'>((resolve) => {
    const onOver = () => resolve('over')
    // Timers can't wait longer.
    const timer = leftMs < 2 ** 31 ? setTimeout(onOver, leftMs + 1) : undefined
    signal?.addEventListener('abort', onOver, { once: true })
    cancel = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onOver)
    }
  })
  return { promise, cancel }
}
