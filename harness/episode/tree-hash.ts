import { contentHash } from '../../src/change/content-hash.js'
import { allChildren, childOf } from '../../src/fs/backends/memory-children.js'
import { type DirectoryNode, entriesOf, type MemoryNode, type TreeLine } from '../../src/fs/backends/memory-nodes.js'
import { sha256Soon } from '../../src/fs/digests/sha256.js'

const encoder = new TextEncoder()

/** Of names, kinds, modes and contents. The node must be from a snapshot: others may still change. */
export async function treeHash(node: MemoryNode): Promise<string> {
  const known = node.treeLine?.digest
  if (known !== undefined) return known
  return (lineOf(node, '') ?? (await slowLineOf(node, ''))).digest
}

/** Undefined if something is too large to be hashed at once. Trees share their nodes, so the line of each is made once. */
function lineOf(node: MemoryNode, name: string): TreeLine | undefined {
  const made = node.treeLine
  if (made !== undefined) return made.name === name ? made : setLine(node, name, made.digest)
  const content = contentOf(node)
  const digest = content === undefined ? undefined : sha256Soon(headOf(node) + content)
  return digest === undefined ? undefined : setLine(node, name, digest)
}

function contentOf(node: MemoryNode): string | undefined {
  if (node.kind === 'symlink') return node.target
  if (node.kind === 'directory') return amendedLines(node) ?? allLines(node)
  node.digest ??= sha256Soon(node.bytes)
  return node.digest
}

function allLines(directory: DirectoryNode): string | undefined {
  const lines: string[] = []
  for (const { name } of entriesOf(directory)) {
    const line = lineOf(childOf(directory.children, name) as MemoryNode, name)
    if (line === undefined) return undefined
    lines.push(line.text)
  }
  const text = lines.join('')
  if (lines.length >= manyLines) directory.treeLines = { text, changed: [] }
  return text
}

/** To look at every child of a large directory takes longer than to hash their lines. */
const manyLines = 32

/** The lines of last time with those that have changed, which are kept; undefined if there are none, or other names. */
function amendedLines(directory: DirectoryNode): string | undefined {
  const { children, treeLines } = directory
  if (treeLines === undefined) return undefined
  const { text, changed } = treeLines
  if (changed.length === 0) return text
  const amended: { at: number; digest: string }[] = []
  for (const name of changed) {
    const child = childOf(children, name)
    const at = startOfLine(text, name)
    const line = child && at !== undefined ? lineOf(child, name) : undefined
    if (line === undefined || at === undefined) return undefined
    amended.push({ at, digest: line.digest })
  }
  const pieces: string[] = []
  let end = 0
  for (const { at, digest } of amended.sort((a, b) => a.at - b.at)) {
    pieces.push(text.slice(end, at), digest)
    end = at + digest.length
  }
  pieces.push(text.slice(end))
  const lines = pieces.join('')
  directory.treeLines = { text: lines, changed: [] }
  return lines
}

const digestLength = 64

function startOfLine(lines: string, name: string): number | undefined {
  const ending = ` ${name}\0`
  for (let from = 0; ; ) {
    const found = lines.indexOf(ending, from)
    if (found === -1) return undefined
    const at = found - digestLength
    // Another name may end in the same way.
    if (at === 0 || lines[at - 1] === '\0') return at
    from = found + 1
  }
}

/** The same for what is hashed faster by Web Crypto, which returns promises. */
async function slowLineOf(node: MemoryNode, name: string): Promise<TreeLine> {
  if (node.treeLine !== undefined) return lineOf(node, name) as TreeLine
  let content = contentOf(node)
  if (content === undefined) {
    if (node.kind === 'file') node.digest = await contentHash(node.bytes)
    else if (node.kind === 'directory')
      for (const [below, child] of allChildren(node.children)) await slowLineOf(child, below)
    content = contentOf(node)
  }
  return setLine(node, name, await contentHash(encoder.encode(headOf(node) + content)))
}

function headOf({ kind, mode }: MemoryNode): string {
  return `${kind} ${mode.toString(8)}\n`
}

function setLine(node: MemoryNode, name: string, digest: string): TreeLine {
  // Joined because a hash reads one string faster than a chain of pieces.
  node.treeLine = { name, digest, text: [digest, ' ', name, '\0'].join('') }
  return node.treeLine
}
