/** The actions of the tool `archive`, in a module that the first call loads. */
import { FsError } from '../../../errors.js'
import { createArchive } from '../../../ops/archive/create-archive.js'
import { extractArchive } from '../../../ops/archive/extract-archive.js'
import { listArchiveFile } from '../../../ops/archive/list-archive.js'
import { printable } from '../../../text/printable.js'
import type { Workspace } from '../../../workspace/workspace.js'
import type { ToolCall } from '../define-tool.js'
import { plural, size } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath } from '../wording.js'
import type { ArchiveArgs } from './archive-arguments.js'
import { ignoring, neverSearched } from './list-and-glob.js'

type Action = (args: ArchiveArgs, workspace: Workspace, call: ToolCall) => Promise<Reply>

export const archiveActions: Readonly<Record<ArchiveArgs['action'], Action>> = {
  async list(args, workspace, call) {
    const { path, entries, totalBytes, warnings } = await workspace.run(listArchiveFile, { path: args.path }, call)
    const rows = entries.map((entry) => {
      const name = printable(entry.path)
      return entry.kind === 'directory' ? `${name}/` : `${name}\t${size(entry.size ?? 0)}`
    })
    const known = [`[${plural(entries.length, 'entry', 'entries')}, ${size(totalBytes)} unpacked]`, warned(warnings)]
    return {
      rows: { all: rows, what: 'entries', empty: '(empty archive)', path },
      notes: known,
      facts: { files: entries.length, bytes: totalBytes },
    }
  },

  async extract(args, workspace, call) {
    if (args.destination === undefined) throw missing('destination', 'where to extract to')
    const { path, destination: to, include = [], existing: onExisting } = args
    const done = await workspace.run(extractArchive, { path, to, include, onExisting }, call)
    const parts = [
      `extracted ${plural(done.files, 'file')} (${size(done.bytes)}) into ${displayPath(done.to, workspace)}`,
      done.replaced.length > 0 && `${done.replaced.length} replaced`,
      done.skipped.length > 0 && `${done.skipped.length} left as they were`,
    ].filter(Boolean)
    return {
      payload: parts.join(', '),
      notes: [warned(done.warnings)],
      facts: { files: done.files, bytes: done.bytes },
    }
  },

  async create(args, workspace, call) {
    const { path, paths, include = [], existing, ignored } = args
    const request = {
      path,
      ...(paths !== undefined && { from: paths }),
      include,
      exclude: neverSearched(workspace),
      ...ignoring(ignored),
      replace: existing === 'replace',
      makeParents: true,
    }
    const made = await workspace.run(createArchive, request, call)
    const leftOut = made.leftOut.length
    return {
      payload: `created ${displayPath(made.path, workspace)}: ${plural(made.files, 'file')}, ${size(made.totalBytes)} packed into ${size(made.bytes)}`,
      notes: [
        leftOut > 0 && `[${plural(leftOut, 'link or special file', 'links or special files')} left out]`,
        refused(made.unportable, 'these names, rename them first'),
        refused(made.tooDense, 'these files, which expand like an archive bomb'),
        !ignored && '[what git ignores was left out; ignored: true packs it too]',
      ],
      facts: { files: made.files, bytes: made.bytes },
    }
  },
}

/** Lists the names, so that something can be done before the archive is passed on. */
function refused(names: readonly string[], what: string): string | false {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  const some = names.slice(0, 5).map(printable).join(', ')
  return names.length > 0 && `[warning: extract refuses ${what}: ${some}${more}]`
}

function warned(warnings: readonly { kind: string }[]): string | false {
  const kinds = [...new Set(warnings.map(({ kind }) => kind.replaceAll('-', ' ')))]
  return kinds.length > 0 && `[warning: ${kinds.join(', ')}]`
}

function missing(at: string, what: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'other', message: `missing: ${what}` }] })
}
