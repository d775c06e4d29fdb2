import type { RootStatus } from '../../ops/list-roots.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { answer } from './output.js'

/** `0 B`, `1.5 KB`, `12.25 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${Number(value.toFixed(2))} ${units[unit]}`
}

const units = ['B', 'KB', 'MB', 'GB', 'TB']

export function formatDate(ms: number): string {
  return new Date(ms).toISOString()
}

/** The size in brackets; empty where it is not known. */
export function sizeNote(size: number | undefined): string {
  return size === undefined ? '' : ` (${formatBytes(size)})`
}

export interface Notes {
  truncated?: string | undefined
  tip?: string | undefined
  tooLarge?: number
  binary?: number
  inaccessible?: number
  links?: number
  linesGivenUp?: number
}

/** The line below a result that says what was left out; empty if nothing was. */
export function notes({ truncated, tip, tooLarge, binary, inaccessible, links, linesGivenUp }: Notes): string {
  const parts = [
    truncated && `[truncated: ${truncated}]`,
    tip && `[tip: ${tip}]`,
    tooLarge && `[${tooLarge} skipped: too large]`,
    binary && `[${binary} skipped: binary]`,
    inaccessible && `[${inaccessible} skipped: inaccessible]`,
    links && `[${links} symlinks not followed]`,
    linesGivenUp && `[${linesGivenUp} lines skipped: regex timeout]`,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `\n${parts.join(' ')}`
}

/** Lists each root under every path that leads to it. */
export function printRoots(roots: RootStatus[], _args: unknown, { fs }: Workspace): ToolResult {
  const accessStatus = roots.flatMap(({ path, aliases = [], accessible, readable }) =>
    [...aliases, path].map((at) => ({ path: fs.show(at), accessible, readable })),
  )
  const count = accessStatus.length
  const rows = accessStatus.map(({ path, accessible, readable }) => {
    const state = readable ? '[readable]' : accessible ? '[no read access]' : '[inaccessible]'
    return `${printable(path)} ${state}`
  })
  return answer([`Allowed directories (${count}):`, ...rows].join('\n'), {
    allowedDirectories: accessStatus.map(({ path }) => path),
    count,
    accessStatus,
    hint:
      count === 1
        ? 'Single directory configured. All operations are sandboxed here.'
        : `${count} directories configured. Operations work across all of them.`,
  })
}
