/** The segments of a pack as files of one directory of the origin's private file system. */
import type { Segments, SegmentWriter } from '../../src/fs/backends/pack/segments.js'
import type { Bytes } from '../../src/fs/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import { fromDomException, isDomException } from '../fs-access/fs-access-errors.js'
import { hasSyncAccess, type SyncAccess, type SyncAccessHandle } from '../fs-access/sync-access.js'
import { replaceWhole } from '../fs-access/whole-file.js'

/** The browser releases the files of a worker that was killed a little later than its locks. */
const busyTries = 50
const busyMs = 100

export async function opfsSegments(directory: FileSystemDirectoryHandle): Promise<Segments> {
  const path = `/${directory.name}`
  const isSync = await hasSyncAccess()

  async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw fromDomException(error, path)
    }
  }

  async function fileOf(number: number): Promise<FileSystemFileHandle | undefined> {
    try {
      return await directory.getFileHandle(String(number))
    } catch (error) {
      if (isDomException(error, 'NotFoundError')) return undefined
      throw error
    }
  }

  return {
    // Pages have no handles to append with, only files that are written whole.
    ...(!isSync && { onlyWhole: true }),
    list: () =>
      translated(async () => {
        const numbers: number[] = []
        for await (const name of directory.keys()) if (/^\d+$/.test(name)) numbers.push(Number(name))
        return numbers
      }),
    read: (number) =>
      translated(async () => {
        const handle = await fileOf(number)
        return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer())
      }),
    settle: (number) =>
      translated(async () => {
        const handle = isSync ? await fileOf(number) : undefined
        if (handle === undefined) return
        const access = await openWhenFree(handle)
        try {
          await access.flush()
        } finally {
          access.close()
        }
      }),
    create: (number) =>
      translated(async () => {
        const handle = await directory.getFileHandle(String(number), { create: true })
        return isSync ? appending(await openWhenFree(handle), path) : collecting(handle, path)
      }),
    remove: (number) =>
      translated(async () => {
        await whenFree(async () => {
          if ((await fileOf(number)) !== undefined) await directory.removeEntry(String(number))
        })
      }),
  }
}

/** A lock on a file that nobody holds is that of a worker which no longer exists. */
async function whenFree<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries === busyTries || !isDomException(error, 'NoModificationAllowedError')) throw error
      await new Promise((resolve) => setTimeout(resolve, busyMs))
    }
  }
}

function openWhenFree(handle: FileSystemFileHandle): Promise<SyncAccessHandle> {
  return whenFree(() => (handle as FileSystemFileHandle & SyncAccess).createSyncAccessHandle())
}

function appending(access: SyncAccessHandle, path: string): SegmentWriter {
  let size = access.getSize()

  function attempt(run: () => void): void {
    try {
      run()
    } catch (error) {
      throw fromDomException(error, path)
    }
  }

  return {
    async append(bytes) {
      attempt(() => {
        for (let start = 0; start < bytes.length; ) {
          const rest = bytes.subarray(start)
          const written = access.write(rest, { at: size })
          // In private windows, Chromium returns an error as a huge number and throws nothing.
          if (written === 0 || written > rest.length) throw new DOMException('Not written', 'QuotaExceededError')
          start += written
          size += written
        }
      })
    },
    flush: async () => attempt(() => access.flush()),
    close: async () => access.close(),
  }
}

/** Writes everything with the first flush, as a file that exists whole or not at all. */
function collecting(handle: FileSystemFileHandle, path: string): SegmentWriter {
  let pieces: Bytes[] = []
  return {
    async append(bytes) {
      pieces.push(bytes)
    },
    async flush() {
      try {
        await replaceWhole(handle, joinBytes(pieces))
        pieces = []
      } catch (error) {
        throw fromDomException(error, path)
      }
    },
    async close() {},
  }
}
