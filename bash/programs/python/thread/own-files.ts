/** Files that only Python sees: its standard library, devices, and the way from its library to the shell. */
import type { Bytes } from '../../../../src/fs/types.js'
import { zoneFile } from '../../data/zone-file.js'
import type { FileFacts } from '../wire.js'
import type { Asking } from './ask.js'
import { SystemFailure } from './errno.js'
import type { OpenDevice } from './open-files.js'

/** Where the archive of the standard library is. */
export const libraryPath = '/usr/lib/python314.zip'
/** Requests of the library, as JSON: written and then read. */
export const shellPath = '/dev/polyfs'

export interface OwnFiles {
  facts(path: string): FileFacts | undefined
  open(path: string, flags: number): OpenDevice | undefined
}

export interface OwnFilesGiven {
  library: Bytes
  request(text: string): Asking<string>
  randomBytes(count: number): Bytes
}

/** Time zones, which no tree has. */
const zonesPath = '/usr/share/zoneinfo/'
const regular = 0o100644
const device = 0o20666
const inodeOfContent = 100

export function ownFiles({ library, request, randomBytes }: OwnFilesGiven): OwnFiles {
  const none = new Uint8Array()
  const ignore = () => {}

  function factsOf(mode: number, inode: number, size = 0): FileFacts {
    return { mode, size, inode, modifiedMs: 0, accessedMs: 0, changedMs: 0 }
  }

  const zones = new Map<string, Bytes | undefined>()

  function shellDevice(): Pick<OpenDevice, 'read' | 'write'> {
    let answer = none as Bytes
    return {
      read(count) {
        const piece = answer.subarray(0, count)
        answer = answer.subarray(piece.length)
        return piece
      },
      *write(bytes): Asking<void> {
        answer = new TextEncoder().encode(yield* request(new TextDecoder().decode(bytes)))
      },
    }
  }

  const devices: Readonly<Record<string, () => Pick<OpenDevice, 'read' | 'write'>>> = {
    '/dev/null': () => ({ read: () => none, write: ignore }),
    '/dev/zero': () => ({ read: (count) => new Uint8Array(count), write: ignore }),
    '/dev/full': () => ({
      read: (count) => new Uint8Array(count),
      write() {
        throw new SystemFailure('ENOSPC')
      },
    }),
    '/dev/random': () => ({ read: randomBytes, write: ignore }),
    '/dev/urandom': () => ({ read: randomBytes, write: ignore }),
    [shellPath]: shellDevice,
  }
  const numbers = new Map(Object.keys(devices).map((path, index) => [path, index + 3]))

  /** Files of the process itself, by their paths. */
  function content(path: string): Bytes | undefined {
    if (path === libraryPath) return library
    if (!path.startsWith(zonesPath)) return undefined
    const name = path.slice(zonesPath.length)
    if (!zones.has(name)) zones.set(name, zoneFile(name))
    return zones.get(name)
  }

  return {
    facts(path) {
      const bytes = content(path)
      if (bytes !== undefined) return factsOf(regular, inodeOfContent + bytes.length, bytes.length)
      const number = numbers.get(path)
      return number === undefined ? undefined : factsOf(device, number)
    },
    open(path, flags) {
      const bytes = content(path)
      if (bytes !== undefined) {
        if ((flags & 3) !== 0) throw new SystemFailure('EACCES')
        const facts = factsOf(regular, inodeOfContent + bytes.length, bytes.length)
        return { kind: 'device', name: path, read: () => none, write: ignore, facts, at: 0, bytes, flags }
      }
      const number = numbers.get(path)
      if (number === undefined) return undefined
      const { read, write } = (devices[path] as () => Pick<OpenDevice, 'read' | 'write'>)()
      return { kind: 'device', name: path, read, write, facts: factsOf(device, number), at: 0, flags }
    },
  }
}
