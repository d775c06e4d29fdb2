/** Objects that have a file of their own. */
import type { ByteRange, Bytes } from '../../fs/types.js'
import { type Budget, tooLarge } from '../limits.js'
import { inflateNow, inflatePieces } from './inflate.js'
import {
  damagedAt,
  exactly,
  type FoundObject,
  gather,
  limitOf,
  maxRatio,
  type ObjectType,
  smallBytes,
} from './pack-reader.js'

/** How its file is read. */
export interface LooseSource {
  readonly size: number
  read(range: ByteRange): Promise<Bytes>
}

const headBytes = 4096
const pieceBytes = 256 * 1024

/** What the file of an object holds: compressed, its type and size before its content. */
export async function openLooseObject(source: LooseSource, oid: string): Promise<FoundObject> {
  const head = await source.read({ start: 0, end: headBytes })
  const { content } = inflateNow(head, 32) ?? { content: new Uint8Array() }
  const nul = content.indexOf(0)
  const header = String.fromCharCode(...content.subarray(0, Math.max(nul, 0)))
  const [, type, digits] = /^(commit|tree|blob|tag) (0|[1-9]\d{0,15})$/.exec(header) ?? []
  if (type === undefined) throw damagedAt(oid)
  const size = Number(digits)
  const whole = nul + 1 + size
  if (whole > source.size * maxRatio) throw damagedAt(oid)

  async function* compressed(): AsyncGenerator<Bytes> {
    for (let at = 0; at < source.size; at += pieceBytes) {
      yield await source.read({ start: at, end: Math.min(at + pieceBytes, source.size) })
    }
  }

  async function* pieces(): AsyncGenerator<Bytes> {
    let skip = nul + 1
    for await (const piece of exactly(inflatePieces(compressed()), whole, oid)) {
      const rest = piece.subarray(Math.min(skip, piece.length))
      skip -= piece.length - rest.length
      if (rest.length > 0) yield rest
    }
  }

  return {
    type: type as ObjectType,
    isPacked: false,
    size: async () => size,
    pieces: () => pieces(),
    async read(budget: Budget) {
      const limit = limitOf(type as ObjectType)
      if (size > limit) throw tooLarge(`${type} ${oid}`, limit)
      budget.spend(size)
      if (whole > smallBytes) return gather(pieces(), size, oid)
      const bytes = source.size <= head.length ? head : await source.read({ start: 0, end: whole * 2 + 1024 })
      const found = inflateNow(bytes, whole)
      if (found?.ends !== true || found.content.length !== whole) throw damagedAt(oid)
      return found.content.subarray(nul + 1)
    },
  }
}
