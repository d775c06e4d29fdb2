/** Parses and serializes commits and tags. */
import type { Bytes } from '../../fs/types.js'
import { damaged } from '../damaged.js'
import { type Person, parsePerson, writtenPerson } from './person.js'

export interface Commit {
  oid: string
  tree: string
  parents: readonly string[]
  author: Person
  committer: Person
  message: string
}

export function parseCommit(bytes: Bytes, oid: string): Commit {
  const { lines, message } = parts(bytes)
  const tree = headerValue(lines, 'tree')
  const [author, committer] = [headerValue(lines, 'author'), headerValue(lines, 'committer')]
  const parents = lines.filter((line) => line.startsWith('parent ')).map((line) => line.slice('parent '.length))
  if (author === undefined || committer === undefined || ![tree, ...parents].every(isName)) throw damaged(oid)
  return { oid, tree: tree as string, parents, author: parsePerson(author), committer: parsePerson(committer), message }
}

/** The object a tag points to. */
export function parseTag(bytes: Bytes, oid: string): string {
  const object = headerValue(parts(bytes).lines, 'object')
  if (object === undefined || !isName(object)) throw damaged(oid)
  return object
}

export function serializeCommit({ tree, parents, author, committer, message }: Omit<Commit, 'oid'>): Bytes {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${writtenPerson(author)}`,
    `committer ${writtenPerson(committer)}`,
  ]
  return new TextEncoder().encode(`${lines.join('\n')}\n\n${message}`)
}

function parts(bytes: Bytes): { lines: string[]; message: string } {
  const end = endOfHeader(bytes)
  const header = new TextDecoder().decode(bytes.subarray(0, end))
  const encoding = headerValue(header.split('\n'), 'encoding')
  const decoder = decoderFor(encoding)
  // Names may use that encoding as well.
  const lines = decoder.decode(bytes.subarray(0, end)).split('\n')
  return { lines, message: decoder.decode(bytes.subarray(Math.min(end + 2, bytes.length))) }
}

/** The position of the blank line. */
function endOfHeader(bytes: Bytes): number {
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at
  }
  return bytes.length
}

function decoderFor(encoding: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding ?? 'utf-8', { ignoreBOM: true })
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true })
  }
}

/** Finds a header line. Continuation lines of signatures and other long values start with a space, so they never match. */
function headerValue(lines: readonly string[], key: string): string | undefined {
  return lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
}

function isName(oid: string | undefined): boolean {
  return oid !== undefined && /^[0-9a-f]{40}$/.test(oid)
}
