/** Which version of a file is stored, so that a reload can't lose it. What is saved is stored a moment later, or not, when the worker fails. */
import type { App } from '../page/app.js'

export interface StoredVersion {
  /** The hash of the last version that is stored. */
  readonly hash: string
  /** True while a save is not stored yet. */
  isStoring(): boolean
  /** True when the worker failed before a save was stored: what was saved has to be written again. */
  isLost(): boolean
  /** True when the file is at this version again because a later one is lost. */
  cameBack(hash: string | undefined): boolean
  /** Stores what was saved; a full disk is reported separately. */
  store(hash: string): Promise<void>
  /** Others have written this version. */
  adopt(hash: string): void
}

export function storedVersion(app: App, first: string, { onState }: { onState(): void }): StoredVersion {
  let stored = first
  /** Saves that are not stored yet. */
  let storing = 0
  let isLost = false

  return {
    get hash() {
      return stored
    },
    isStoring: () => storing > 0,
    isLost: () => isLost,
    cameBack: (hash) => isLost && hash === stored,
    async store(hash) {
      isLost = false
      storing += 1
      onState()
      const { files } = app.workspace
      await files.flush().then(
        () => {
          stored = hash
        },
        async () => {
          if (await hasEnded(files)) isLost = true
        },
      )
      storing -= 1
      onState()
    },
    adopt(hash) {
      stored = hash
      isLost = false
    },
  }
}

/** True when the worker has failed. */
export async function hasEnded(files: App['workspace']['files']): Promise<boolean> {
  return (await Promise.race([files.ended, undefined])) !== undefined
}
