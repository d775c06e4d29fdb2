const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves with the first signal; a second one ends the process as usual. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
