/** The digests by name. */
import type { Hash } from '../../../../src/fs/digests/block-hash.js'
import { createSha1 } from '../../../../src/fs/digests/sha1.js'
import { createSha224, createSha256 } from '../../../../src/fs/digests/sha256.js'
import { blake2b, sha384, sha512 } from './long-hash.js'
import { md5 } from './md5.js'

export interface Algorithm {
  /** As in lines such as `SHA256 (file) = …`. */
  tag: string
  bytes: number
  create(): Hash
}

const make = (tag: string, bytes: number, create: () => Hash): Algorithm => ({ tag, bytes, create })

export const algorithms = {
  md5: make('MD5', 16, md5),
  sha1: make('SHA1', 20, createSha1),
  sha224: make('SHA224', 28, createSha224),
  sha256: make('SHA256', 32, createSha256),
  sha384: make('SHA384', 48, sha384),
  sha512: make('SHA512', 64, sha512),
} as const satisfies Readonly<Record<string, Algorithm>>

/** A length of 0 bits is the whole digest. */
export function blake(bits: number): Algorithm {
  const bytes = bits === 0 ? 64 : bits / 8
  return make(bytes === 64 ? 'BLAKE2b' : `BLAKE2b-${bits}`, bytes, () => blake2b(bytes))
}

/** The algorithm a line with a tag names. */
export function algorithmOfTag(tag: string): Algorithm | undefined {
  const [, bits] = /^BLAKE2b(?:-(\d+))?$/.exec(tag) ?? []
  if (tag === 'BLAKE2b') return blake(0)
  if (bits !== undefined) return Number(bits) % 8 === 0 && Number(bits) <= 512 ? blake(Number(bits)) : undefined
  return Object.values(algorithms).find((algorithm) => algorithm.tag === tag)
}
