/** Reads the lines that name files in compact diffs; see `compactHeader`. */
import type { ChangeKind } from '../diff/compact-diff.js'
import { parseQuoted } from './patch-names.js'

export interface CompactHeader {
  kind: ChangeKind
  path: string
  /** Of a renamed file. */
  toPath?: string
  mode?: number
  /** Why the content is missing. */
  remark?: string
}

/** Undefined for any other line. */
export function parseCompactHeader(line: string): CompactHeader | undefined {
  const [, kind, rest] = /^(changed|created|deleted|renamed) (\S.*)$/.exec(line) ?? []
  if (kind === undefined || rest === undefined) return undefined
  const first = nameAt(rest)
  if (first === undefined) return undefined
  const header: CompactHeader = { kind: kind as ChangeKind, path: first.name }
  let after = first.rest
  if (kind === 'renamed') {
    const second = after.startsWith(arrow) ? nameAt(after.slice(arrow.length)) : undefined
    if (second === undefined) return undefined
    header.toPath = second.name
    after = second.rest
  }
  if (after === '') return header
  const remarks = /^ \(([^()]*)\)$/.exec(after)?.[1]?.split(', ')
  return remarks === undefined ? undefined : withRemarks(header, remarks)
}

const arrow = ' -> '

/** A name in quotes, or up to an arrow or to remarks at the end. */
function nameAt(text: string): { name: string; rest: string } | undefined {
  if (text.startsWith('"')) {
    const quoted = parseQuoted(text)
    return quoted && { name: quoted.name, rest: text.slice(quoted.length) }
  }
  const end = text.search(/ -> | \([^()]*\)$/)
  const name = end === -1 ? text : text.slice(0, end)
  return name === '' ? undefined : { name, rest: text.slice(name.length) }
}

function withRemarks(header: CompactHeader, remarks: readonly string[]): CompactHeader {
  for (const remark of remarks) {
    const mode = /^mode ([0-7]{3})$/.exec(remark)?.[1]
    if (mode !== undefined) header.mode = Number.parseInt(mode, 8)
    else if (!/^\d+% similar$/.test(remark)) header.remark = remark
  }
  return header
}
