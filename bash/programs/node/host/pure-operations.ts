/** Calls of the library that give the same for the same input: they need no files, so they are made beside the engine, wherever it is. */
import type { Bytes } from '../../../../src/fs/types.js'
import { crc32 } from '../../../../src/text/crc32.js'
import { algorithms } from '../../data/digests/algorithms.js'
import { timeZone } from '../../data/time-zone.js'
import type { Value } from '../engine/machine.js'
import { lateParts } from '../library.js'
import { changeAddress, readAddress } from './web-address.js'
import { type ZlibOptions, zlib } from './zlib.js'
import { isZone, zoneName } from './zone-name.js'

export type Operation = (...given: never[]) => Value

/** What a script gets at once has to fit into its memory. */
const maxOutputBytes = 64 * 1024 * 1024
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export interface PureGiven {
  /** `TZ`. */
  zone: string | undefined
  isReproducible: boolean
}

export function pureOperations({ zone, isReproducible }: PureGiven): Readonly<Record<string, Operation>> {
  return {
    encode: (text: string) => encoder.encode(text),
    decode: (bytes: Bytes) => decoded(bytes),
    zlib: (kind: string, bytes: Bytes, options: string, dictionary: Bytes | null) =>
      zlib(kind, bytes, { options: withinMemory(JSON.parse(options) as ZlibOptions), dictionary, isReproducible }),
    crc32: (bytes: Bytes, before: number) => crc32(bytes, before),
    part: (name: string) => lateParts[name] ?? '',
    digest(name: string, bytes: Bytes) {
      const algorithm = algorithms[name as keyof typeof algorithms]
      if (!Object.hasOwn(algorithms, name)) return null
      const hash = algorithm.create()
      hash.update(bytes)
      return hash.digest()
    },
    url: readAddress,
    changeUrl: changeAddress,
    zone: (name: string, seconds: number) => (isZone(name) ? timeZone(name).at(seconds).offset / 60 : null),
    zoneName: (seconds: number) => zoneName(zone, seconds),
  }
}

export function decoded(bytes: Bytes): string {
  return decoder.decode(bytes)
}

function withinMemory(options: ZlibOptions): ZlibOptions {
  return { ...options, maxOutputLength: Math.min(options.maxOutputLength, maxOutputBytes) }
}
