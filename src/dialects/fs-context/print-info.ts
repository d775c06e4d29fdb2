import type { DescribedEntry, Description } from '../../ops/describe-entry.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { mimeType } from './mime-types.js'
import { answer } from './output.js'
import { formatBytes, formatDate } from './print.js'
import { reason } from './wording.js'

export function printInfo(entry: DescribedEntry, _args: unknown, workspace: Workspace): ToolResult {
  const info = infoOf(entry, { includeMimeType: true }, workspace)
  const { created, modified, accessed, permissions, mimeType: type, symlinkTarget } = info
  const rows = [
    `Name: ${printable(info.name)}`,
    `Path: ${printable(info.path)}`,
    `Type: ${info.type}`,
    `Size: ${formatBytes(info.size)}`,
    created && `Created: ${created}`,
    modified && `Modified: ${modified}`,
    accessed && `Accessed: ${accessed}`,
    permissions && `Permissions: ${permissions}`,
    `Hidden: ${info.isHidden ? 'Yes' : 'No'}`,
    type && `MIME Type: ${type}`,
    symlinkTarget && `Symlink Target: ${printable(symlinkTarget)}`,
  ]
  return answer(rows.filter(Boolean).join('\n'), { info })
}

export function printInfos(
  outcomes: Description[],
  args: { includeMimeType: boolean },
  workspace: Workspace,
): ToolResult {
  const results = outcomes.map((outcome) =>
    'entry' in outcome
      ? { path: outcome.given, info: infoOf(outcome.entry, args, workspace) }
      : { path: outcome.given, error: reason(outcome.error, workspace) },
  )
  const infos = results.flatMap((result) => ('info' in result ? [result.info] : []))
  const totalSize = infos.reduce((sum, { size }) => sum + size, 0)
  const rows = results.map((result) => {
    const path = printable(result.path)
    if ('error' in result) return `${path} [error: ${result.error}]`
    const { type, size, mimeType: mime } = result.info
    return [path, type, formatBytes(size), ...(mime === undefined ? [] : [mime])].join(' | ')
  })
  const { length: total } = results
  const { length: succeeded } = infos
  return answer([`File info (${succeeded}/${total} ok | ${formatBytes(totalSize)}):`, ...rows].join('\n'), {
    results,
    summary: { total, succeeded, failed: total - succeeded, totalSize },
  })
}

/** Clients expect a size even of a directory. */
function infoOf(entry: DescribedEntry, { includeMimeType }: { includeMimeType: boolean }, { fs }: Workspace) {
  const { name, path, kind, size = 0, createdMs, modifiedMs, accessedMs, mode, link } = entry
  const type = includeMimeType && kind !== 'directory' ? mimeType(name) : undefined
  return {
    name,
    path: fs.show(path),
    type: link === undefined ? kind : ('symlink' as const),
    size,
    ...(createdMs !== undefined && { created: formatDate(createdMs) }),
    ...(modifiedMs !== undefined && { modified: formatDate(modifiedMs) }),
    ...(accessedMs !== undefined && { accessed: formatDate(accessedMs) }),
    ...(mode !== undefined && { permissions: permissions(mode) }),
    isHidden: name.startsWith('.'),
    ...(type !== undefined && { mimeType: type }),
    ...(link?.target !== undefined && { symlinkTarget: link.target }),
  }
}

/** `rw-r--r--` */
function permissions(mode: number): string {
  return [6, 3, 0].map((shift) => rights[(mode >> shift) & 7]).join('')
}

const rights = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx']
