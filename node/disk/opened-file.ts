import fs from 'node:fs'
import { fromErrno } from '../../src/fs/errno.js'
import type { ByteSource } from '../../src/fs/types.js'
import { createKernels, type Kernels } from '../../src/search/bytes/kernels/kernels.js'
import { countBreaks } from '../../src/text/lines/count-line-breaks.js'
import type { Place } from './anchor.js'
import { clip, openRegular, readRange, readSync, smallBytes } from './regular-file.js'

/** How long reading may block the event loop. */
const longestTurnMs = 20

/** A file that stays open, to be read in parts. */
export function openedFile(virtual: string, place: Place): ByteSource {
  const { descriptor, size } = openRegular(virtual, place)
  let paused = Date.now()
  let kernels: Kernels | undefined

  /** Short reads are synchronous, so many in a row have to yield to the event loop. */
  async function yielding<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    if (Date.now() - paused > longestTurnMs) {
      await new Promise<void>((resume) => setImmediate(resume))
      paused = Date.now()
    }
    try {
      return await run()
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  return {
    size,
    read: (range) => yielding(() => readRange(descriptor, clip(range, size))),
    readCounted: (range) =>
      yielding(async () => {
        const { start, end } = clip(range, size)
        kernels ??= createKernels(smallBytes)
        if (kernels === undefined || end - start > smallBytes) {
          const bytes = await readRange(descriptor, { start, end })
          return { bytes, ...countBreaks(bytes) }
        }
        const bytes = readSync(descriptor, kernels.buffer.subarray(0, end - start), start)
        return { bytes, ...kernels.countBreaks(bytes) }
      }),
    close: async () => fs.closeSync(descriptor),
  }
}
