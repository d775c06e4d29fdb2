/** A Web Lock as something to keep, rather than a function to run under it. The browser takes it back when the tab or worker goes. */
export interface HeldLock {
  release(): void
}

/** Waits its turn. */
export function holdLock(name: string, mode: LockMode, signal?: AbortSignal): Promise<HeldLock> {
  return request(name, { mode, ...(signal && { signal }) }) as Promise<HeldLock>
}

/** Undefined when someone else has it. */
export function holdLockIfFree(name: string, mode: LockMode): Promise<HeldLock | undefined> {
  return request(name, { mode, ifAvailable: true })
}

function request(name: string, options: LockOptions): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const ended = navigator.locks.request(name, options, (lock) => {
      if (lock === null) return resolve(undefined)
      return new Promise<void>((release) => resolve({ release: () => release() }))
    })
    ended.catch(reject)
  })
}
