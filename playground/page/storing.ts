/** Writes changes to the browser's storage, and counts the files that are not there yet. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'

export interface Storing {
  store(files: FileEndpoint, record: ChangeRecord): Promise<void>
  isStoring(): boolean
}

/** `onCount` gets the number of files that are being written. */
export function createStoring(onCount: (count: number) => void): Storing {
  /** How many flushes are in progress. */
  let flushes = 0
  /** How many files they write. */
  let count = 0

  return {
    async store(files, record) {
      const added = filesIn(record)
      flushes += 1
      count += added
      onCount(count)
      // The workspace itself reports what could not be stored.
      await files.flush().catch(() => {})
      flushes -= 1
      count -= added
      onCount(count)
    },
    isStoring: () => flushes > 0,
  }
}

function filesIn({ steps }: ChangeRecord): number {
  return steps.filter((step) => step.do === 'set' && step.after.kind === 'file').length
}
