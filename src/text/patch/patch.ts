/** What a patch asks for, whatever its format: one entry per file block, in the order of the patch. */
export type FilePatch =
  | (Block & { kind: 'create'; path: string; mode?: number; hunks: readonly Hunk[] })
  | (Block & { kind: 'modify'; path: string; mode?: number; hunks: readonly Hunk[] })
  /** With no hunks the bytes stay as they are. */
  | (Block & { kind: 'rename'; path: string; toPath: string; mode?: number; hunks: readonly Hunk[] })
  /** `hunks` must leave nothing of the file; without them (V4A) the file goes whatever it holds. */
  | (Block & { kind: 'delete'; path: string; hunks?: readonly Hunk[] })

interface Block {
  /** Where the block starts in the patch, counted from 1. */
  line: number
}

/** A stretch of one file's lines, old and new. */
export interface Hunk {
  /** Where the hunk starts in the patch, counted from 1. */
  line: number
  place: HunkPlace
  lines: readonly HunkLine[]
}

export type HunkPlace =
  /** Unified: the number of the first old line, or, when there are no old lines, of the line before. */
  | { by: 'number'; oldStart: number }
  /** V4A: below all of `anchors`, the outermost first; `atEnd` when the old lines must be the last of the file. */
  | { by: 'context'; anchors: readonly string[]; atEnd: boolean }

export interface HunkLine {
  kind: 'keep' | 'add' | 'remove'
  /** Without its line ending. */
  text: string
  /** The line ending when the patch names it; `''` is "no newline at end of file". Absent: the one that fits the file. */
  ending?: '\n' | '\r\n' | ''
}

/** Lines added and removed by the whole of a file's hunks. */
export function countChanges(hunks: readonly Hunk[]): { added: number; removed: number } {
  let added = 0
  let removed = 0
  for (const { lines } of hunks) {
    for (const { kind } of lines) {
      if (kind === 'add') added += 1
      if (kind === 'remove') removed += 1
    }
  }
  return { added, removed }
}
