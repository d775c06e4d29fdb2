/** A Web Lock as an object, rather than a callback. The browser releases it when the tab or worker ends. */
export interface HeldLock {
  release(): void
}

/** Waits until the lock is available. */
export function holdLock(name: string, mode: LockMode, signal?: AbortSignal): Promise<HeldLock> {
  return request(name, { mode, ...(signal && { signal }) }) as Promise<HeldLock>
}

/** Undefined when the lock is taken. */
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
