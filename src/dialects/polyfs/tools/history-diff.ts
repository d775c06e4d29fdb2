/** Prints what has changed between two points of the history. */
import { isWithin, relative } from '../../../fs/path.js'
import type { ChangeRecord, Difference, Image } from '../../../ops/history/read-history.js'
import { openShown, type ShownText } from '../../../text/decode/shown-text.js'
import { compactHeader } from '../../../text/diff/compact-diff.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { type ComparedFile, type DiffRows, diffRows } from '../diff-rows.js'
import { formatName } from '../encodings.js'

/** `records` are those of the whole history, newest first. */
export async function historyDiff(
  differences: readonly Difference[],
  records: readonly ChangeRecord[],
  workspace: Workspace,
  options: { stat: boolean },
): Promise<DiffRows> {
  const moved = movedDirectories(differences, records)
  const hidden = new Set([...moved].flat())
  const others = differences.filter(
    (difference) => !hidden.has(difference) && !goesWithoutSaying(difference, differences),
  )
  const first = Array.from(moved, ([source, target]) => {
    const [path, toPath] = [plainPath(source.path, workspace), plainPath(target.path, workspace)]
    return compactHeader({ kind: 'renamed', path, toPath, remark: 'directory' })
  })
  return diffRows(
    others.map((difference) => comparedOf(difference, workspace)),
    { ...options, first },
  )
}

/** A directory that was made or removed with what is in it. Differences are in the order of their paths. */
function goesWithoutSaying(directory: Difference, differences: readonly Difference[]): boolean {
  const sides = [directory.before.kind, directory.after.kind]
  if (!sides.includes('absent') || !sides.includes('directory')) return false
  const side = directory.before.kind === 'absent' ? 'after' : 'before'
  return differences.some(
    (other) => other !== directory && other[side].kind !== 'absent' && isWithin(directory.path, other.path),
  )
}

/** Directories that were moved as a whole: the history has nothing of their entries. */
function movedDirectories(
  differences: readonly Difference[],
  records: readonly ChangeRecord[],
): Map<Difference, Difference> {
  const gone = differences.filter(({ before, after }) => before.kind === 'directory' && after.kind === 'absent')
  const come = new Map<string, Difference>()
  for (const difference of differences) {
    if (difference.before.kind === 'absent' && difference.after.kind === 'directory')
      come.set(difference.path, difference)
  }
  const moved = new Map<Difference, Difference>()
  if (gone.length === 0 || come.size === 0) return moved
  const steps = records.flatMap(({ steps }) => steps)
  const targets = new Map(steps.flatMap((step) => (step.do === 'rename' ? [[step.path, step.to] as const] : [])))
  for (const source of gone) {
    const path = lastOf(source.path, targets, come)
    const target = path === undefined ? undefined : come.get(path)
    if (target === undefined || path === undefined) continue
    come.delete(path)
    moved.set(source, target)
  }
  return moved
}

/** Where moves, one after the other, brought a directory. */
function lastOf(
  path: string,
  targets: ReadonlyMap<string, string>,
  come: ReadonlyMap<string, Difference>,
): string | undefined {
  let at = targets.get(path)
  for (let moves = 0; at !== undefined && !come.has(at) && moves < targets.size; moves += 1) at = targets.get(at)
  return at
}

function comparedOf({ path, before, after, bytesBefore, bytesAfter }: Difference, workspace: Workspace): ComparedFile {
  const kind = before.kind === 'absent' ? 'created' : after.kind === 'absent' ? 'deleted' : 'changed'
  const modes = {
    ...('mode' in before && before.mode !== undefined && { modeBefore: before.mode }),
    ...('mode' in after && after.mode !== undefined && { modeAfter: after.mode }),
  }
  const file: ComparedFile = { kind, path: plainPath(path, workspace), ...modes }
  const type = typeRemark(before, after)
  if (type !== undefined) return { ...file, remark: type, ...linkContent(before, after) }
  const missing = (before.kind === 'file' && !bytesBefore) || (after.kind === 'file' && !bytesAfter)
  const image = before.kind === 'file' ? before : after
  const content = image.kind === 'file' && kind !== 'changed' ? { content: { id: image.hash } } : {}
  if (missing) return { ...file, remark: 'content not stored' }
  const [old, current] = [bytesBefore && openShown(bytesBefore), bytesAfter && openShown(bytesAfter)]
  if ((bytesBefore && !old) || (bytesAfter && !current)) return { ...file, ...content, remark: 'binary' }
  const [textBefore, textAfter] = [old && markedText(old), current && markedText(current)]
  const encodings = [old, current].map((shown) => shown && formatName(shown.format))
  const isRecoded = kind === 'changed' && encodings[0] !== encodings[1]
  const isSameText = kind === 'changed' && textBefore === textAfter
  const isSame = before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
  return {
    ...file,
    ...content,
    ...(textBefore !== undefined && { before: textBefore }),
    ...(textAfter !== undefined && { after: textAfter }),
    ...(isSameText && !isSame && { remark: 'other bytes, same text' }),
    ...(isRecoded && { remark: encodings.join(' -> ') }),
  }
}

/** The entry is not a file, or becomes something else. */
function typeRemark(before: Image, after: Image): string | undefined {
  const kinds = [before.kind, after.kind].filter((kind) => kind !== 'absent')
  if (kinds.every((kind) => kind === 'file')) return undefined
  return new Set(kinds).size === 1 ? kinds[0] : kinds.join(' -> ')
}

function linkContent(before: Image, after: Image): Pick<ComparedFile, 'content'> {
  const image = before.kind === 'absent' ? after : after.kind === 'absent' ? before : undefined
  return image?.kind === 'symlink' ? { content: { id: image.target, type: 'symlink' } } : {}
}

/** With its byte-order mark, as in diffs of git. */
function markedText({ text, format: { bom, encoding } }: ShownText): string {
  return bom && encoding === 'utf-8' ? `\ufeff${text}` : text
}

/** As `displayPath`, but what is not printable is left to the diff, which quotes it so that it can be read again. */
function plainPath(path: string, { root }: Workspace): string {
  return isWithin(root, path) && path !== root ? relative(root, path) : path
}
