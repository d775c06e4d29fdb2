/** A parsed patch of either format: one entry per file block, in order. */
export type FilePatch =
  | (Block & { kind: 'create'; path: string; mode?: number; hunks: readonly Hunk[] })
  | (Block & { kind: 'modify'; path: string; mode?: number; hunks: readonly Hunk[] })
  /** Without hunks the content stays the same. */
  | (Block & { kind: 'rename'; path: string; toPath: string; mode?: number; hunks: readonly Hunk[] })
  /** `hunks` must remove all lines; without them (V4A) the file is deleted whatever its content. */
  | (Block & { kind: 'delete'; path: string; hunks?: readonly Hunk[] })

export interface Block {
  /** The line of the patch where the block starts, counted from 1. */
  line: number
}

/** Some consecutive lines of a file, old and new. */
export interface Hunk {
  /** The line of the patch where the hunk starts, counted from 1. */
  line: number
  place: HunkPlace
  lines: readonly HunkLine[]
}

export type HunkPlace =
  /** Unified: the number of the first old line or, without old lines, of the line before. */
  | { by: 'number'; oldStart: number }
  /** V4A: the hunk is below all `anchors`, outermost first; `atEnd` if its old lines must be the last of the file. */
  | { by: 'context'; anchors: readonly string[]; atEnd: boolean }

export interface HunkLine {
  kind: 'context' | 'add' | 'remove'
  /** Without its line ending. */
  text: string
  /** The line ending if the patch names it; `''` for "no newline at end of file". Absent: one that fits the file. */
  ending?: '\n' | '\r\n' | ''
}

/** Lines added and removed by all hunks of a file. */
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
