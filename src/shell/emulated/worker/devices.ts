/** The devices in `/dev`. */
import type { Bytes } from '../../../fs/types.js'
import type { OutputChunk } from '../../types.js'

export interface Devices {
  has(path: string): boolean
  /** Undefined for a path that is not a device. */
  read(path: string): Bytes | undefined
  /** False for a path that is not a device. */
  write(path: string, bytes: Bytes): boolean
}

/** The devices that statements write their output to; see `stream-output.ts`. */
export const outputPaths = { stdout: '/dev/polyfs/stdout', stderr: '/dev/polyfs/stderr' } as const

/** Files are read as a whole here, so endless devices return this many bytes. */
const endlessBytes = 1 << 20
const maxRandomBytes = 65_536

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
  for (let at = 0; at < bytes.length; at += maxRandomBytes) {
    crypto.getRandomValues(bytes.subarray(at, at + maxRandomBytes))
  }
  return bytes
}
