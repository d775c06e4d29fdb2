/** What the text editor and the memory tool do to a file. Their words for it differ. */
import { editText } from '../../../ops/edit-text.js'
import { findFiles } from '../../../ops/find-files.js'
import { type ReadText, readText } from '../../../ops/read-text.js'
import { splitLines } from '../../../text/lines/lines.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { everyLine, type ListedEntry } from '../numbered-lines.js'
import { refuse } from '../wording.js'

export interface Call {
  workspace: Workspace
  context: CallContext
}

export function readLines(path: string, { workspace, context }: Call): Promise<ReadText> {
  const { maxFileBytes } = workspace.limits
  return workspace.run(readText, { path, maxFileBytes, counting: everyLine }, context)
}

/** What is in a directory, two levels deep, without hidden entries and `node_modules`. */
export async function listTwoLevels(path: string, { workspace, context }: Call): Promise<readonly ListedEntry[]> {
  const selection = { hidden: false, exclude: ['node_modules'], maxDepth: 2, directories: true, others: false }
  const found = await workspace.run(findFiles, { path, ...selection, metadata: true, sortBy: 'path' }, context)
  return found.entries
}

/** Both texts are taken literally, and the old one must be there once. Returns the lines of the file and the first one that changed. */
export async function replaceOnce(
  { path, old, text }: { path: string; old: string; text: string },
  { workspace, context }: Call,
): Promise<{ lines: readonly string[]; changed: number }> {
  const edits = [{ kind: 'literal' as const, find: old, replace: text, count: 'only' as const }]
  const edited = await workspace.run(editText, { path, edits, options: { identical: 'allow' } }, context)
  const [place] = edited.edits.flatMap(({ places }) => places)
  return { lines: splitLines(edited.after, everyLine), changed: place?.after.line ?? 1 }
}

/** Inserts lines after that line; 0 is the beginning of the file. */
export async function insertAfter(
  { path, line, text }: { path: string; line: number; text: string },
  call: Call,
): Promise<void> {
  const { lines: before, lineCount } = await readLines(path, call)
  const count = lineCount ?? before.length
  if (line < 0 || line > count) {
    throw refuse(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${count}]`,
    )
  }
  const lines = splitLines(text.replace(/\r?\n$/, ''), everyLine)
  // What follows the last line feed is counted as a line, but there is nothing to insert after.
  const isEnd = line === count || (line === count - 1 && before.at(-1) === '')
  const edits = [{ kind: 'insert' as const, before: isEnd ? ('end' as const) : line + 1, lines }]
  await call.workspace.run(editText, { path, edits }, call.context)
}

/** `directory` for a directory, with links followed. */
export async function kindOf(path: string, { workspace }: Call): Promise<string> {
  const { fs, root } = workspace
  return (await fs.stat(await fs.realPath(fs.resolve(path, root)))).kind
}
