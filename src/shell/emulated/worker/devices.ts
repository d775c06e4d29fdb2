/** What commands find in `/dev`. */
import type { Bytes } from '../../../fs/types.js'
import type { OutputChunk } from '../../types.js'

export interface Devices {
  has(path: string): boolean
  /** Nothing for a path that is no device. */
  read(path: string): Bytes | undefined
  /** False for a path that is no device. */
  write(path: string, bytes: Bytes): boolean
}

/** Where the output of a command goes statement by statement; see `stream-output.ts`. */
export const outputPaths = { stdout: '/dev/polyfs/stdout', stderr: '/dev/polyfs/stderr' } as const

/** Files are read whole here, so what never ends has to end somewhere. */
const endlessBytes = 1 << 20
const mostRandomAtOnce = 65_536

export function createDevices(stdin: Bytes, output: (chunk: OutputChunk) => void): Devices {
  const toStream = (stream: OutputChunk['stream']) => (bytes: Bytes) => output({ stream, bytes })
  const nothing = () => new Uint8Array()
  const drop = () => {}
  const devices = new Map<string, { read: () => Bytes; write: (bytes: Bytes) => void }>([
    ['/dev/null', { read: nothing, write: drop }],
    ['/dev/zero', { read: () => new Uint8Array(endlessBytes), write: drop }],
    ['/dev/random', { read: randomBytes, write: drop }],
    ['/dev/urandom', { read: randomBytes, write: drop }],
    ['/dev/stdin', { read: () => stdin, write: drop }],
    ['/dev/stdout', { read: nothing, write: toStream('stdout') }],
    ['/dev/stderr', { read: nothing, write: toStream('stderr') }],
    [outputPaths.stdout, { read: nothing, write: toStream('stdout') }],
    [outputPaths.stderr, { read: nothing, write: toStream('stderr') }],
  ])
  return {
    has: (path) => devices.has(path),
    read: (path) => devices.get(path)?.read(),
    write(path, bytes) {
      const device = devices.get(path)
      if (device !== undefined && bytes.length > 0) device.write(bytes)
      return device !== undefined
    },
  }
}

function randomBytes(): Bytes {
  const bytes = new Uint8Array(endlessBytes)
  for (let at = 0; at < bytes.length; at += mostRandomAtOnce) {
    crypto.getRandomValues(bytes.subarray(at, at + mostRandomAtOnce))
  }
  return bytes
}
