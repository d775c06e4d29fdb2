/** Writes malformed objects and packs, byte by byte. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export function objectName(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** Where a loose object lies in `.git`. */
export function looseFile(oid: string): string {
  return `objects/${oid.slice(0, 2)}/${oid.slice(2)}`
}

/** A loose object; `claimed` is the size in its header. Default name: the one git would expect. */
export function plantLoose(
  root: string,
  type: ObjectType,
  content: Buffer,
  { claimed = content.length, oid = objectName(type, content) }: { claimed?: number; oid?: string } = {},
): string {
  const file = path.join(root, '.git', looseFile(oid))
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, zlib.deflateSync(Buffer.concat([Buffer.from(`${type} ${claimed}\0`), content])))
  return oid
}

export function treeEntry(mode: string, name: string, oid: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
}

export function plantTree(root: string, entries: readonly Buffer[]): string {
  return plantLoose(root, 'tree', Buffer.concat(entries))
}

/** Adds a commit and points `main` to it. */
export function plantCommit(root: string, tree: string, parents: readonly string[] = []): string {
  const person = 'Ada <ada@example.org> 1700000000 +0100'
  const lines = [`tree ${tree}`, ...parents.map((each) => `parent ${each}`), `author ${person}`, `committer ${person}`]
  const oid = plantLoose(root, 'commit', Buffer.from(`${lines.join('\n')}\n\nplanted\n`))
  fs.mkdirSync(path.join(root, '.git/refs/heads'), { recursive: true })
  fs.writeFileSync(path.join(root, '.git/refs/heads/main'), `${oid}\n`)
  return oid
}

/** An entry of a pack: a whole object, or a delta based on an earlier entry or on a named object. */
export interface PackEntry {
  oid: string
  type: ObjectType | 'offset-delta' | 'named-delta'
  content: Buffer
  /** Position in the list of entries. */
  base?: number
  baseName?: string
  /** The stated size of the entry. */
  claimed?: number
}

const numbers = { commit: 1, tree: 2, blob: 3, tag: 4, 'offset-delta': 6, 'named-delta': 7 }

export function plantPack(
  root: string,
  entries: readonly PackEntry[],
  { version = 2 }: { version?: 1 | 2 } = {},
): void {
  const parts: Buffer[] = [Buffer.from('PACK\0\0\0\x02'), number32(entries.length)]
  const offsets: number[] = []
  let offset = 12
  for (const entry of entries) {
    offsets.push(offset)
    const head = [sizeHeader(numbers[entry.type], entry.claimed ?? entry.content.length)]
    if (entry.type === 'offset-delta') head.push(distance(offset - (offsets[entry.base as number] as number)))
    if (entry.type === 'named-delta') head.push(Buffer.from(entry.baseName as string, 'hex'))
    const bytes = Buffer.concat([...head, zlib.deflateSync(entry.content)])
    parts.push(bytes)
    offset += bytes.length
  }
  const body = Buffer.concat(parts)
  const checksum = createHash('sha1').update(body).digest()
  const sorted = entries
    .map(({ oid }, i) => ({ oid, offset: offsets[i] as number }))
    .sort((a, b) => (a.oid < b.oid ? -1 : 1))
  const fanout = Array.from({ length: 256 }, (_, first) =>
    number32(sorted.filter(({ oid }) => Number.parseInt(oid.slice(0, 2), 16) <= first).length),
  )
  const names = sorted.map(({ oid }) => Buffer.from(oid, 'hex'))
  const index =
    version === 1
      ? [...fanout, ...sorted.flatMap((each, i) => [number32(each.offset), names[i] as Buffer])]
      : [
          Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
          ...fanout,
          ...names,
          ...sorted.map(() => number32(0)),
          ...sorted.map((each) => number32(each.offset)),
        ]
  const indexBody = Buffer.concat([...index, checksum])
  const name = path.join(root, `.git/objects/pack/pack-${checksum.toString('hex')}`)
  fs.mkdirSync(path.dirname(name), { recursive: true })
  fs.writeFileSync(`${name}.pack`, Buffer.concat([body, checksum]))
  fs.writeFileSync(`${name}.idx`, Buffer.concat([indexBody, createHash('sha1').update(indexBody).digest()]))
}

/** The sizes at the start of a delta. */
export function deltaHeader(base: number, result: number): Buffer {
  return Buffer.concat([variable(base), variable(result)])
}

function variable(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push(rest % 128)
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return Buffer.from(bytes.map((byte, i) => (i < bytes.length - 1 ? byte | 0x80 : byte)))
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function sizeHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

function distance(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1
    bytes.unshift((rest % 128) | 0x80)
  }
  return Buffer.from(bytes)
}
