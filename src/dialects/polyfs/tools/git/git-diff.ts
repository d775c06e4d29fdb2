/** Files that git compared, for a compact diff. */
import { headings } from '../../../../git/print/print-diff.js'
import type { FileDiff } from '../../../../ops/git/diff.js'
import type { ComparedFile } from '../../diff-rows.js'

/** A change of type is a deletion and a creation. */
export function comparedFiles(file: FileDiff): ComparedFile[] {
  const { path, change, before, after, binary, textBefore, textAfter } = file
  const old = { ...(textBefore !== undefined && { before: textBefore }), ...(before && { modeBefore: before.mode }) }
  const now = { ...(textAfter !== undefined && { after: textAfter }), ...(after && { modeAfter: after.mode }) }
  if (change === 'modified') {
    const remark = remarkOf(after, binary)
    return [{ kind: 'changed', path, ...old, ...now, ...remark, heading: headings(textBefore ?? '') }]
  }
  const heading = { heading: headings(textBefore ?? '') }
  const deleted: ComparedFile[] = before
    ? [{ kind: 'deleted', path, ...old, ...remarkOf(before, binary), ...contentOf(before), ...heading }]
    : []
  const created: ComparedFile[] = after
    ? [{ kind: 'created', path, ...now, ...remarkOf(after, binary), ...contentOf(after) }]
    : []
  return [...deleted, ...created]
}

type Blob = NonNullable<FileDiff['before']>

const types: Readonly<Record<number, string>> = { 21609: 'symlink', 31213: 'submodule' }

function typeOf(blob: Blob | undefined): string | undefined {
  return types[(blob?.mode ?? 0) & 0o170000]
}

function remarkOf(blob: Blob | undefined, binary: boolean): Pick<ComparedFile, 'remark'> {
  const remark = typeOf(blob) ?? (binary ? 'binary' : undefined)
  return remark === undefined ? {} : { remark }
}

function contentOf(blob: Blob): Pick<ComparedFile, 'content'> {
  const type = typeOf(blob)
  return { content: { id: blob.oid, ...(type !== undefined && { type }) } }
}
