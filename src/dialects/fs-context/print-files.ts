import { join } from '../../fs/path.js'
import type { FindFiles, FoundEntry } from '../../ops/find-files.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { extensionOf } from './mime-types.js'
import { answer } from './output.js'
import { formatDate, notes, sizeNote } from './print.js'

export interface ListArguments {
  recursive: boolean
  maxDepth: number
  includeSymlinkTargets: boolean
}

export function printListing(
  { path, entries, more, summary }: FindFiles,
  args: ListArguments,
  { fs }: Workspace,
): ToolResult {
  const isDirectory = ({ kind }: FoundEntry) => kind === 'directory'
  const directories = entries.filter(isDirectory)
  const others = entries.filter((entry) => !isDirectory(entry))
  const links = entries.filter(({ kind }) => kind === 'symlink').length
  const rows = [
    `${printable(fs.show(path))} (${directories.length} dirs, ${others.length} files):`,
    ...directories.map((entry) => `[DIR] ${printable(entry.path)}`),
    ...others.map((entry) => printOther(entry, args)),
  ]
  const nothing = summary.entries === 0 ? 'Empty directory' : `Empty directory\n${filtered}`
  const note = notes({
    ...(more && {
      truncated: `reached max entries limit (${entries.length} returned)`,
      tip: 'Increase maxEntries or reduce maxDepth to see more results.',
    }),
    inaccessible: summary.unreadable,
    links,
  })
  return answer((entries.length === 0 ? nothing : rows.join('\n')) + note, {
    path: fs.show(path),
    entries: entries.map((entry) => structureEntry(entry, args)),
    summary: {
      totalEntries: entries.length,
      totalFiles: entries.filter(({ kind }) => kind === 'file').length,
      totalDirectories: directories.length,
      maxDepthReached: depthReached(entries, args),
      truncated: more,
      skippedInaccessible: summary.unreadable,
      symlinksNotFollowed: links,
    },
  })
}

const filtered = '(All entries are filtered out. Set includeHidden=true, or change pattern or excludePatterns.)'

function printOther(entry: FoundEntry, { includeSymlinkTargets }: ListArguments): string {
  const isLink = entry.kind === 'symlink'
  const target = isLink && includeSymlinkTargets && entry.linkTarget
  return `${isLink ? '[LINK]' : '[FILE]'} ${printable(entry.path)}${sizeNote(entry.size)}${target ? ` -> ${printable(target)}` : ''}`
}

function structureEntry(entry: FoundEntry, { includeSymlinkTargets }: ListArguments) {
  const { name, path, kind, size, modifiedMs, linkTarget } = entry
  const extension = kind === 'file' ? extensionOf(name) : undefined
  return {
    name,
    relativePath: path,
    type: kind,
    ...(extension !== undefined && { extension }),
    ...(size !== undefined && { size }),
    ...(modifiedMs !== undefined && { modified: formatDate(modifiedMs) }),
    ...(includeSymlinkTargets && linkTarget !== undefined && { symlinkTarget: linkTarget }),
  }
}

/** Depth of the deepest listed directory; the base itself is 0. */
function depthReached(entries: readonly FoundEntry[], { recursive, maxDepth }: ListArguments): number {
  if (!recursive) return 0
  const deepest = entries.reduce((most, { kind, depth }) => Math.max(most, kind === 'directory' ? depth : depth - 1), 0)
  return Math.min(maxDepth, deepest)
}

export interface SearchFilesArguments {
  pattern: string
  maxResults: number
  maxFilesScanned: number
}

export function printFound(found: FindFiles, args: SearchFilesArguments, { fs }: Workspace): ToolResult {
  const { path, entries, truncated, summary } = found
  const { pattern, maxResults, maxFilesScanned } = args
  const scanned = found.total ?? (truncated === 'matches' ? maxFilesScanned : entries.length)
  const stoppedReason = scanned > maxResults ? 'maxResults' : truncated && stops[truncated]
  const reasons = {
    maxResults: `reached max results limit (${entries.length} returned)`,
    maxFiles: `reached max files limit (${scanned} scanned)`,
    timeout: 'search timed out',
  }
  const rows = entries.map((entry) => `[FILE] ${printable(fs.show(join(path, entry.path)))}${sizeNote(entry.size)}`)
  const body = entries.length === 0 ? noMatches : [`Found ${entries.length}:`, ...rows].join('\n')
  const note = notes({
    truncated: stoppedReason && reasons[stoppedReason],
    tip: stoppedReason && tips[stoppedReason],
    inaccessible: summary.unreadable,
  })
  return answer(body + note, {
    basePath: fs.show(path),
    pattern,
    results: entries.map(({ path: at, kind, size, modifiedMs }) => ({
      path: at,
      type: kind,
      ...(size !== undefined && { size }),
      ...(modifiedMs !== undefined && { modified: formatDate(modifiedMs) }),
    })),
    summary: {
      matched: entries.length,
      truncated: stoppedReason !== undefined,
      skippedInaccessible: summary.unreadable,
      filesScanned: scanned,
      ...(stoppedReason && { stoppedReason }),
    },
  })
}

const stops = { matches: 'maxFiles', entries: 'maxFiles', deadline: 'timeout' } as const

const noMatches =
  'No matches\n(Try a broader pattern, remove excludePatterns, or set includeHidden=true if searching dotfiles.)'

const tips = {
  maxResults: 'Increase maxResults or use more specific pattern to see more results.',
  maxFiles: 'Increase maxFilesScanned or use more specific pattern.',
  timeout: 'Increase timeoutMs, use more specific pattern, or add excludePatterns to narrow scope.',
}
