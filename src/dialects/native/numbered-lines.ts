import { printable } from '../../text/printable.js'

/** Lines as `cat -n` prints them: a number of six places, and a tab. */
export function numberedLines(lines: readonly string[], firstLine: number): string {
  return lines.map((line, at) => `${String(firstLine + at).padStart(6)}\t${line}`).join('\n')
}

/** The text of an editor that counts what follows the last line feed as a line, too. */
export const everyLine = { breaks: 'line-feed', finalEmptyLine: true } as const

/** The size as `du -h` would print it. */
export function shortSize(bytes: number): string {
  if (bytes === 0) return '0B'
  const unit = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = bytes / 1024 ** unit
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${'BKMG'[unit]}`
}

export interface ListedEntry {
  path: string
  kind: string
  size?: number
}

/** A directory as the documentation of the text editor and of the memory tool lists it, two levels deep. */
export function listing(directory: string, entries: readonly ListedEntry[]): string {
  const total = entries.reduce((sum, { size = 0 }) => sum + size, 0)
  const rows = entries.map(({ path, kind, size = 0 }) => {
    const shown = printable(path)
    const below = kind === 'directory' ? sizeBelow(path, entries) : size
    return `${shortSize(below)}\t${directory.replace(/\/$/, '')}/${shown}${kind === 'directory' ? '/' : ''}`
  })
  return [
    `Here're the files and directories up to 2 levels deep in ${directory}, excluding hidden items and node_modules:`,
    `${shortSize(total)}\t${directory}`,
    ...rows,
  ].join('\n')
}

function sizeBelow(directory: string, entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { path, size = 0 }) => sum + (path.startsWith(`${directory}/`) ? size : 0), 0)
}
