import type { Workspace } from '../../../workspace/workspace.js'
import { plural } from '../print.js'
import { displayPath } from '../wording.js'

type Outcome = Awaited<ReturnType<Workspace['merge']>>
type Conflict = Outcome['conflicts'][number]

/** What both sides did, place by place. */
export function conflictRows({ conflicts }: Outcome, workspace: Workspace): string[] {
  const paths = new Set(conflicts.map(({ path }) => path)).size
  const first = `nothing was merged: ${plural(conflicts.length, 'conflict')} in ${plural(paths, 'path')}. Call merge again with resolve for each path (ours: the workspace, theirs: the fork).`
  return [first, ...conflicts.flatMap((conflict) => rowsOf(conflict, workspace))]
}

function rowsOf({ path, reason, lines, ours, theirs, base, theirPath }: Conflict, workspace: Workspace): string[] {
  const where = lines === undefined ? '' : `:${lines.first}${lines.last > lines.first ? `-${lines.last}` : ''}`
  const elsewhere = theirPath === undefined ? '' : ` (theirs: ${displayPath(theirPath, workspace)})`
  const head = `${displayPath(path, workspace)}${where} ${words[reason]}${elsewhere}`
  if (reason !== 'lines') return [head]
  return [
    head,
    '<<<<<<< ours',
    ...linesOf(ours),
    '||||||| base',
    ...linesOf(base),
    '=======',
    ...linesOf(theirs),
    '>>>>>>> theirs',
  ]
}

const words: Readonly<Record<Conflict['reason'], string>> = {
  lines: 'both changed these lines',
  content: 'both changed it, and it is not text: ours or theirs',
  mode: 'both changed its mode: ours or theirs',
  moved: 'both moved it: ours or theirs',
  'removed-in-ours': 'the workspace removed it, the fork changed it: ours or theirs',
  'removed-in-theirs': 'the fork removed it, the workspace changed it: ours or theirs',
  taken: 'something else is in its place: ours or theirs',
  repository: 'both changed this repository: ours or theirs',
}

function linesOf(text = ''): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}
