/** Prints what differs between two states of the files: renames in one line, everything else compactly. */
import { type ChangeKind, type CompactChange, compactHeader, compactHunks } from '../../text/diff/compact-diff.js'
import { findRenames, maxScore, type RenameCandidate } from '../../text/diff/renames.js'
import { plural } from './print.js'

/** A path that differs, before renames are looked for. */
export interface ComparedFile {
  kind: Exclude<ChangeKind, 'renamed'>
  path: string
  before?: string
  after?: string
  modeBefore?: number
  modeAfter?: number
  /** Why the content is not shown. */
  remark?: string
  /** The content of a created or deleted entry: equal ids mean equal content. Only text is compared for similarity. */
  content?: { id: string; type?: string }
  heading?: (linesBefore: number) => string
}

export interface DiffRows {
  rows: string[]
  notes: string[]
}

/** With `stat` one line for each file, else the hunks as well. `first` are lines for further paths. */
export async function diffRows(
  compared: readonly ComparedFile[],
  { stat = false, first = [] }: { stat?: boolean; first?: readonly string[] } = {},
): Promise<DiffRows> {
  const files = await withRenames(compared)
  let [added, removed] = [0, 0]
  const rows = files.flatMap(({ heading, ...file }) => {
    const name = compactHeader(file)
    if (file.before === undefined && file.after === undefined) return [name]
    const hunks = compactHunks(file.before ?? '', file.after ?? '', heading && { heading })
    added += hunks.added
    removed += hunks.removed
    if (stat) return [`${name} +${hunks.added} -${hunks.removed}`]
    return hunks.text === '' ? [name] : [name, ...hunks.text.slice(0, -1).split('\n')]
  })
  const count = first.length + files.length
  const total = `[${plural(count, 'path')}, +${added} -${removed}]`
  return { rows: [...first, ...rows], notes: count > 1 || (stat && count > 0) ? [total] : [] }
}

/** Bounds the search for similar files to some tens of milliseconds. */
const limits = { maxPairs: 10_000, maxSteps: 2_000_000 }

interface Candidate extends RenameCandidate {
  file: ComparedFile
}

type PrintedChange = CompactChange & Pick<ComparedFile, 'heading'>

async function withRenames(files: readonly ComparedFile[]): Promise<PrintedChange[]> {
  const candidates = (kind: ChangeKind) =>
    files.flatMap((file): Candidate[] => (file.kind === kind && file.content ? [candidateOf(file, file.content)] : []))
  const renames = await findRenames(candidates('deleted'), candidates('created'), limits)
  const sources = new Set(renames.map(({ from }) => from.file))
  const byTarget = new Map(renames.map((rename) => [rename.to.file, rename]))
  return files.flatMap((file): PrintedChange[] => {
    if (sources.has(file)) return []
    const rename = byTarget.get(file)
    if (rename === undefined) return [changeOf(file)]
    return [renamed(rename.from.file, file, Math.trunc((rename.score * 100) / maxScore))]
  })
}

function candidateOf(file: ComparedFile, { id, type }: NonNullable<ComparedFile['content']>): Candidate {
  const text = file.before ?? file.after
  return {
    file,
    path: file.path,
    id,
    ...(type !== undefined ? { type } : text === undefined && { type: 'binary' }),
    read: () => new TextEncoder().encode(text),
  }
}

function changeOf({ modeBefore, modeAfter, content: _, ...file }: ComparedFile): PrintedChange {
  const mode = newMode(file.kind, modeBefore, modeAfter)
  return { ...file, ...(mode !== undefined && { mode }) }
}

/** A new file has the usual mode unless it is executable. */
function newMode(kind: ChangeKind, before: number | undefined, after: number | undefined): number | undefined {
  if (after === undefined || kind === 'deleted') return undefined
  if (kind === 'created') return after & 0o100 ? 0o755 : undefined
  return before === undefined || (before & 0o777) === (after & 0o777) ? undefined : after & 0o777
}

function renamed(from: ComparedFile, to: ComparedFile, similarity: number): PrintedChange {
  const mode = newMode('renamed', from.modeBefore, to.modeAfter)
  return {
    kind: 'renamed',
    path: from.path,
    toPath: to.path,
    ...(from.before !== undefined && to.after !== undefined && { before: from.before, after: to.after }),
    similarity,
    ...(mode !== undefined && { mode }),
    ...(to.content?.type !== undefined && { remark: to.content.type }),
    ...(from.heading && { heading: from.heading }),
  }
}
