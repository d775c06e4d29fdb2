/** Reads loose objects. */
import type { ByteRange, Bytes } from '../../fs/types.js'
import { damaged } from '../damaged.js'
import { type Budget, tooLarge } from '../limits.js'
import { inflatePieces, inflateSync } from './inflate.js'
import {
  type FoundObject,
  gather,
  limitOf,
  maxRatio,
  type ObjectType,
  smallBytes,
  withExactSize,
} from './pack-reader.js'

/** Reads bytes of the object's file. */
export interface LooseSource {
  /** For errors. */
  readonly name: string
  readonly size: number
  read(range: ByteRange): Promise<Bytes>
}

const headBytes = 4096
const pieceBytes = 256 * 1024

/** Opens a loose object: a compressed header with type and size, then the content. */
export async function openLooseObject(source: LooseSource, oid: string): Promise<FoundObject> {
  const subject = `${oid} in ${source.name}`
  const head = await source.read({ start: 0, end: headBytes })
  const { content } = inflateSync(head, 32) ?? { content: new Uint8Array() }
  const nul = content.indexOf(0)
  const header = String.fromCharCode(...content.subarray(0, Math.max(nul, 0)))
  const [, type, digits] = /^(commit|tree|blob|tag) (0|[1-9]\d{0,15})$/.exec(header) ?? []
  if (type === undefined) throw damaged(subject)
  const size = Number(digits)
  const whole = nul + 1 + size
  if (whole > source.size * maxRatio) throw damaged(subject)

  async function* compressed(): AsyncGenerator<Bytes> {
    for (let at = 0; at < source.size; at += pieceBytes) {
      yield await source.read({ start: at, end: Math.min(at + pieceBytes, source.size) })
    }
  }

  async function* pieces(): AsyncGenerator<Bytes> {
    let skip = nul + 1
    for await (const piece of withExactSize(inflatePieces(compressed()), whole, subject)) {
      const rest = piece.subarray(Math.min(skip, piece.length))
      skip -= piece.length - rest.length
      if (rest.length > 0) yield rest
    }
  }

  return {
    type: type as ObjectType,
    subject,
    size: async () => size,
    pieces: () => pieces(),
    async read(budget: Budget) {
      const limit = limitOf(type as ObjectType)
      if (size > limit) throw tooLarge(`${type} ${oid}`, limit)
      budget.spend(size)
      if (whole > smallBytes) return gather(pieces(), size, subject)
      const bytes = source.size <= head.length ? head : await source.read({ start: 0, end: whole * 2 + 1024 })
      const found = inflateSync(bytes, whole)
      if (found?.ends !== true || found.content.length !== whole) throw damaged(subject)
      return found.content.subarray(nul + 1)
    },
  }
}
