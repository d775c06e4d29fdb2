import { encodePath } from '../../fs/path.js'
import type { DescribedEntry } from '../../ops/describe-entry.js'
import type { TreeNode } from '../../ops/directory-tree.js'
import type { ListDirectory } from '../../ops/list-directory.js'
import { encodeBytes } from '../../text/decode/byte-encodings.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import { text } from '../../tools/make-tool.js'
import type { ReadFile } from './read-file.js'

/** Text as it is; anything else as an embedded resource, because clients do not know the `blob` content of the original. */
export function printFile({ path, bytes, text: content }: ReadFile): ToolResult {
  if (content !== undefined) return text(content)
  const resource = {
    uri: `file://${encodePath(path)}`,
    mimeType: 'application/octet-stream',
    blob: encodeBytes(bytes, 'base64'),
  }
  return { content: [{ type: 'resource', resource }] }
}

/** The same as one of several texts. */
export function printOneOfMany({ bytes, text: content }: ReadFile): string {
  return content ?? `[binary, base64]\n${encodeBytes(bytes, 'base64')}`
}

export function printListing({ entries }: ListDirectory): string {
  return entries
    .map(({ name, kind, target }) => {
      const isDirectory = (target?.kind ?? kind) === 'directory'
      return `${isDirectory ? '[DIR] ' : '[FILE]'} ${printable(name)}\n`
    })
    .join('')
}

interface PrintedNode {
  name: string
  type: 'directory' | 'file'
  children?: PrintedNode[]
  /** Some of its entries were left out. */
  truncated?: true
}

export function printTree(tree: TreeNode): string {
  return escaped(JSON.stringify(node(tree)))
}

function node({ name, kind, children = [], omitted, unlisted }: TreeNode): PrintedNode {
  if (kind !== 'directory') return { name, type: 'file' }
  const isCut = omitted !== undefined || unlisted === 'room'
  return { name, type: 'directory', children: children.map(node), ...(isCut && { truncated: true }) }
}

/** Escapes characters that must not be printed as they are, in the way of JSON, which keeps the names intact. */
function escaped(json: string): string {
  return json.replace(/[^\u0020-\u007e]/gu, (character) => {
    if (printable(character) === character) return character
    return Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
    }).join('')
  })
}

/** Unknown values are left out, except the size of a directory, which is 0. */
export function printInfo({ kind, size = 0, modifiedMs, mode }: DescribedEntry): string {
  const rows = [
    `type: ${kind}`,
    `size: ${size}`,
    modifiedMs !== undefined && `modified: ${new Date(modifiedMs).toISOString().replace(/\.\d+Z$/, 'Z')}`,
    mode !== undefined && `permissions: ${mode.toString(8).padStart(3, '0')}`,
  ]
  return rows.filter((row) => row !== false).join('\n')
}
