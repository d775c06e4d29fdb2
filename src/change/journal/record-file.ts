/**
 * A record of a change as a file. The first line is JSON, preceded by its seal if there is one; the stored contents follow. The steps of a
 * change of very many files are in parts after the first line, which has the hash of each part: writing or reading them in one piece would
 * block the event loop.
 */

import { gather } from '../../fs/pieces.js'
import { syncOrAsync } from '../../fs/sync.js'
import { transactional } from '../../fs/transactional.js'
import type { ByteRange, Bytes, FileSystem } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { joinBytes } from '../../text/join-bytes.js'
import { contentHash } from '../content-hash.js'
import { isChangeRecord, isStep } from './check-record.js'
import { bytesIn, type ChangeRecord, type Contents, type Step } from './record.js'

/** Returns the authentication code of a text, by which the journal recognizes its own records. */
export type Seal = (text: string) => string

export interface StoredRecord {
  record: ChangeRecord
  /** The range of each content in the file, by hash. */
  kept: Map<string, ByteRange>
}

type Kept = [hash: string, size: number]

/** The first line. Its steps and contents are empty when the record is in parts. */
interface FirstLine {
  record: ChangeRecord
  kept: Kept[]
  parts?: { bytes: number; hash: string }[]
}

/** The most steps, or contents, in one part. */
const partLength = 1000
/** The most content that is joined in memory for one write. */
const joinedBytes = 1024 * 1024
/** A smaller file is read to its end together with its size: most are, and a long history is thousands of them. */
const smallBytes = 32_768
/** Far more than the steps of one part take. Somebody else may have made the file. */
const maxLineBytes = 256 * 1024 * 1024
const lineFeed = 10

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
  const json = JSON.stringify(first satisfies FirstLine)
  const line = new TextEncoder().encode(`${seal === undefined ? '' : `${seal(json)} `}${json}\n`)

  async function* pieces(): AsyncGenerator<Bytes> {
    yield line
    for (const { bytes } of parts) yield bytes
    yield* joined(contents.values())
  }

  const isLarge = isLong || bytesIn(contents) > joinedBytes
  await transactional(store).stageFile(path, isLarge ? pieces : await gather(pieces), { mode: 0o600 })
}

/** Joins small contents, so that thousands of them do not take thousands of writes. */
async function* joined(contents: Iterable<Bytes>): AsyncGenerator<Bytes> {
  const turn = yieldBetweenSteps()
  let some: Bytes[] = []
  let length = 0
  for (const bytes of contents) {
    some.push(bytes)
    length += bytes.length
    if (length < joinedBytes) continue
    yield some.length === 1 ? bytes : joinBytes(some)
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

/** Reads what `writeRecord` wrote; `corrupt` when the file is damaged, cut off, or sealed with another key. */
export async function readRecord(
  store: FileSystem,
  path: string,
  seal: Seal | undefined,
): Promise<StoredRecord | 'corrupt'> {
  const { sync, statAndRead } = transactional(store)
  const { stat, bytes: whole } = await syncOrAsync(sync?.statAndRead(path, smallBytes), () =>
    statAndRead(path, smallBytes),
  )
  const line = whole === undefined ? await readFirstLine(store, path) : firstLineIn(whole)
  if (line === undefined) return 'corrupt'
  const json = unsealed(new TextDecoder().decode(line), seal)
  const first = json === undefined ? undefined : parsed(json, isFirstLine)
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
  const { size = at } = stat
  return size === at ? { record: first.record, kept: places } : 'corrupt'
}

/** The text without its seal; undefined when the seal is wrong. */
function unsealed(line: string, seal: Seal | undefined): string | undefined {
  if (seal === undefined) return line
  const space = line.indexOf(' ')
  const text = line.slice(space + 1)
  return space > 0 && line.slice(0, space) === seal(text) ? text : undefined
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
  const { record, kept, parts = [] } = value as Partial<FirstLine>
  const areNamed = parts.every(
    ({ bytes, hash }) => Number.isSafeInteger(bytes) && bytes >= 0 && typeof hash === 'string',
  )
  return areNamed && isChangeRecord(record) && isPart({ steps: [], kept })
}

function isPart(value: unknown): value is { steps: Step[]; kept: Kept[] } {
  const { steps, kept } = value as { steps: unknown[]; kept: unknown[] }
  return Array.isArray(steps) && steps.every(isStep) && Array.isArray(kept) && kept.every(isKept)
}

function isKept(value: unknown): value is Kept {
  const [hash, size] = value as Partial<Kept>
  return typeof hash === 'string' && Number.isSafeInteger(size) && (size as number) >= 0
}

/** Undefined for a file without a first line, or with one that is too long. */
async function readFirstLine(store: FileSystem, path: string): Promise<Bytes | undefined> {
  for (let end = 16_384; end <= maxLineBytes; end *= 4) {
    const bytes = await store.readFile(path, { start: 0, end })
    const line = firstLineIn(bytes)
    if (line !== undefined || bytes.length < end) return line
  }
  return undefined
}

function firstLineIn(bytes: Bytes): Bytes | undefined {
  const end = bytes.indexOf(lineFeed)
  return end === -1 ? undefined : bytes.subarray(0, end)
}
