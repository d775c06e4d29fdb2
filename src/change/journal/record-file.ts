/**
 * A record of a change as a file. The first line is JSON, after its seal where there is one; then come, one after another, the bytes of
 * what is kept. What a change of very many files did stands in parts behind the first line, which names each by its hash: writing or
 * reading all of it at once would keep others waiting.
 */

import { gather } from '../../fs/pieces.js'
import { transactional } from '../../fs/transactional.js'
import type { ByteRange, Bytes, FileSystem } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { joinBytes } from '../../text/join-bytes.js'
import { contentHash } from '../hash.js'
import { bytesIn, type ChangeRecord, type Contents, type Step } from './record.js'

/** Tells of a text what nobody else can tell, so that a record is known to be one's own. */
export type Seal = (text: string) => string

export interface StoredRecord {
  record: ChangeRecord
  /** Where in the file each content lies. */
  kept: Map<string, ByteRange>
}

type Kept = [hash: string, size: number]

/** What the first line says. Of a record in parts neither steps nor contents are in it. */
interface FirstLine {
  record: ChangeRecord
  kept: Kept[]
  parts?: { bytes: number; hash: string }[]
}

/** So many steps, or contents, are written or read at once. */
const partLength = 1000
/** More is not put together in memory to be written. */
const joinedBytes = 1024 * 1024

export async function writeRecord(
  store: FileSystem,
  path: string,
  { record, contents, seal }: { record: ChangeRecord; contents: Contents; seal: Seal | undefined },
): Promise<void> {
  const kept = Array.from(contents, ([hash, bytes]): Kept => [hash, bytes.length])
  const isLong = record.steps.length > partLength || kept.length > partLength
  const parts = isLong ? await partsOf(record.steps, kept, store) : []
  const named = parts.map(({ bytes, hash }) => ({ bytes: bytes.length, hash }))
  const first = isLong ? { record: { ...record, steps: [] }, kept: [], parts: named } : { record, kept }
  const told = JSON.stringify(first satisfies FirstLine)
  const line = new TextEncoder().encode(`${seal === undefined ? '' : `${seal(told)} `}${told}\n`)

  async function* pieces(): AsyncGenerator<Bytes> {
    yield line
    for (const { bytes } of parts) yield bytes
    yield* joined(contents.values())
  }

  const isLarge = isLong || bytesIn(contents) > joinedBytes
  await transactional(store).stageFile(path, isLarge ? pieces : await gather(pieces), { mode: 0o600 })
}

/** Small ones together: thousands of them would be as many calls of the disk. */
async function* joined(contents: Iterable<Bytes>): AsyncGenerator<Bytes> {
  const turn = yieldBetweenSteps()
  let some: Bytes[] = []
  let length = 0
  for (const bytes of contents) {
    some.push(bytes)
    length += bytes.length
    if (length < joinedBytes) continue
    yield joinBytes(some)
    some = []
    length = 0
    await turn()
  }
  yield joinBytes(some)
}

async function partsOf(steps: readonly Step[], kept: readonly Kept[], store: FileSystem) {
  const turn = yieldBetweenSteps()
  const parts: { bytes: Bytes; hash: string }[] = []
  for (let at = 0; at < Math.max(steps.length, kept.length); at += partLength) {
    const part = { steps: steps.slice(at, at + partLength), kept: kept.slice(at, at + partLength) }
    const bytes = new TextEncoder().encode(JSON.stringify(part))
    parts.push({ bytes, hash: await contentHash(bytes, store) })
    await turn()
  }
  return parts
}

/** Written by `writeRecord` alone, and still a disk may give back something else, or less. */
export async function readRecord(
  store: FileSystem,
  path: string,
  seal: Seal | undefined,
): Promise<StoredRecord | 'corrupt'> {
  const line = await readFirstLine(store, path)
  const told = unsealed(new TextDecoder().decode(line), seal)
  const first = told === undefined ? undefined : parsed(told, isFirstLine)
  if (first === undefined) return 'corrupt'
  const { parts = [] } = first
  const turn = yieldBetweenSteps()
  const [steps, kept] = [first.record.steps, first.kept]
  let at = line.length + 1
  for (const { bytes: length, hash } of parts) {
    const bytes = await store.readFile(path, { start: at, end: at + length })
    const part =
      (await contentHash(bytes, store)) === hash ? parsed(new TextDecoder().decode(bytes), isPart) : undefined
    if (part === undefined) return 'corrupt'
    steps.push(...part.steps)
    kept.push(...part.kept)
    at += length
    await turn()
  }
  const places = new Map<string, ByteRange>()
  for (const [hash, size] of kept) {
    places.set(hash, { start: at, end: at + size })
    at += size
    const pause = turn()
    if (pause !== undefined) await pause
  }
  const { size = at } = await store.stat(path)
  return size === at ? { record: first.record, kept: places } : 'corrupt'
}

/** What was sealed; undefined where the seal is not ours. */
function unsealed(line: string, seal: Seal | undefined): string | undefined {
  if (seal === undefined) return line
  const space = line.indexOf(' ')
  const told = line.slice(space + 1)
  return space > 0 && line.slice(0, space) === seal(told) ? told : undefined
}

function parsed<Value>(text: string, isValue: (value: unknown) => value is Value): Value | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isValue(value) ? value : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    return undefined
  }
}

function isFirstLine(value: unknown): value is FirstLine {
  const { record, kept, parts = [] } = value as FirstLine
  const areNamed = parts.every(({ bytes, hash }) => Number.isSafeInteger(bytes) && typeof hash === 'string')
  return areNamed && typeof record.id === 'string' && isPart({ steps: record.steps, kept })
}

function isPart(value: unknown): value is { steps: Step[]; kept: Kept[] } {
  const { steps, kept } = value as { steps: Partial<Step>[]; kept: Kept[] }
  return Array.isArray(steps) && Array.isArray(kept) && steps.every((step) => typeof step.path === 'string')
}

async function readFirstLine(store: FileSystem, path: string): Promise<Bytes> {
  for (let end = 16_384; ; end *= 4) {
    const bytes = await store.readFile(path, { start: 0, end })
    const newline = bytes.indexOf(10)
    if (newline !== -1 || bytes.length < end) return bytes.subarray(0, newline === -1 ? bytes.length : newline)
  }
}
