/** Words a failed call, with a hint where one can be found, such as a similar name. */
import { type FsError, isFsError } from '../../errors.js'
import { basename, dirname, join } from '../../fs/path.js'
import { findFiles } from '../../ops/find-files.js'
import { recallVersion } from '../../ops/history/read-history.js'
import { listDirectory } from '../../ops/list-directory.js'
import { compactHunks } from '../../text/diff/compact-diff.js'
import { cutUnits } from '../../text/lines/lines.js'
import type { FailedCall, Failure, ToolResult } from '../../tools/dialect.js'
import { word } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'
import { mendedPath } from './forgive/mend-paths.js'
import { distanceOf, suggestParameters } from './forgive/suggest.js'
import type { ValueSchema } from './forgive/take-value.js'
import { openFile } from './open-file.js'
import { displayPath, wording } from './wording.js'

/** A failure of a tool, with a hint. */
export async function failure(
  error: FsError,
  workspace: Workspace,
  call: FailedCall & { parameters: ValueSchema },
): Promise<ToolResult> {
  return resultOf(error, workspace, await hintFor(error, workspace, call))
}

/** A failure before or outside of a tool. */
export function fail(error: FsError, workspace: Workspace): Failure {
  return { result: resultOf(error, workspace) }
}

/** A failure in one line, where other parts of the same call succeeded. */
export function describeFailure(error: FsError, workspace: Workspace): string {
  return `${error.code.toLowerCase()}: ${word(wording, error, workspace).join(' ')}`
}

function resultOf(error: FsError, workspace: Workspace, extra = ''): ToolResult {
  const code = error.code.toLowerCase()
  const text = [describeFailure(error, workspace), extra].filter((part) => part !== '').join('\n')
  const path = 'path' in error.facts ? { path: displayPath(error.facts.path, workspace) } : {}
  return { content: [{ type: 'text', text }], facts: { error: code, ...path } }
}

async function hintFor(
  error: FsError,
  workspace: Workspace,
  call: FailedCall & { parameters: ValueSchema },
): Promise<string> {
  const { tool, args, parameters } = call
  try {
    if (isFsError(error, 'INVALID_INPUT')) return suggestParameters(tool, parameters, error.facts.issues)
    if (isFsError(error, 'INVALID_PATTERN')) return asLiteral(error.facts.pattern, call)
    if (isFsError(error, 'NOT_FOUND')) {
      return (await meantPath(args, workspace)) || (await similarNames(error.facts.path, workspace))
    }
    if (isFsError(error, 'EXISTS')) return replacing[tool] ?? ''
    if (isFsError(error, 'STALE')) return await changedSince(error.facts, workspace)
    if (isFsError(error, 'NO_MATCH')) return await changedFrom(error.facts, workspace)
    return ''
  } catch (fault) {
    // The original failure is reported, not one of looking for a hint.
    if (isFsError(fault)) return error.code === 'STALE' && fault.code === 'NOT_FOUND' ? 'It is not there now.' : ''
    throw fault
  }
}

/** The parameter that replaces what is there, by tool. */
const replacing: Readonly<Record<string, string>> = {
  move: 'overwrite: true replaces it.',
  write_file: 'Without create_only it is replaced.',
  archive: 'existing: "replace" replaces it.',
}

/** Only `grep` searches for text as it stands, and its globs are patterns too. */
function asLiteral(pattern: string, { tool, args }: FailedCall): string {
  const { pattern: given } = Object(args) as { pattern?: unknown }
  const isSearched = tool === 'grep' && typeof given === 'string' && given.startsWith(pattern)
  return isSearched ? 'To search for the text as it stands, set literal: true.' : ''
}

/** For tools that do not guess: what they would find by a path that had to be mended. */
async function meantPath(args: unknown, workspace: Workspace): Promise<string> {
  const { path } = Object(args) as { path?: unknown }
  const meant = typeof path === 'string' ? await mendedPath(path, workspace) : undefined
  return meant === undefined ? '' : `Did you mean ${displayPath(meant, workspace)}?`
}

/** Entries of the same directory whose names resemble the missing one; where that is missing too, entries elsewhere of the same name. */
async function similarNames(path: string, workspace: Workspace): Promise<string> {
  const directory = dirname(path)
  const listed = await workspace.run(listDirectory, { path: directory, metadata: false }).catch((error) => {
    if (isFsError(error, 'NOT_FOUND')) return undefined
    throw error
  })
  if (listed === undefined) return sameName(path, workspace)
  const { entries } = listed
  const wanted = basename(path).toLowerCase()
  const near = entries
    .map(({ name }) => ({ name, distance: distanceOf(name.toLowerCase(), wanted) }))
    .filter(({ name, distance }) => distance <= Math.ceil(Math.min(name.length, wanted.length) / 3))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  if (near.length === 0) return ''
  const names = near.slice(0, 3).map(({ name }) => displayPath(join(directory, name), workspace))
  return `Similar: ${names.join(', ')}`
}

/** Bounds of the walk that looks for a name. */
const elsewhereBounds = { maxEntries: 20_000, timeoutMs: 500 }

/** Entries whose name is the missing one's, those with the most similar paths first. */
async function sameName(path: string, workspace: Workspace): Promise<string> {
  const wanted = displayPath(path, workspace)
  const pattern = `${basename(path).replace(/[\\*?[\]{}!]/g, '\\$&')}`
  const { entries } = await workspace.run(findFiles, { include: [pattern], ignore: {}, ...elsewhereBounds })
  const near = entries
    .map((entry) => displayPath(join(workspace.root, entry.path), workspace))
    .map((name) => ({ name, distance: distanceOf(name, wanted) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return near.length === 0
    ? ''
    : `Similar: ${near
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}`
}

const maxDiffUnits = 4000

/** The diff between the version that the caller has read and the current one, where the history still has the former. */
async function changedSince(
  { path, expected }: { path: string; expected: string; actual: string },
  workspace: Workspace,
): Promise<string> {
  if (!/^[0-9a-f]{8,64}$/.test(expected)) return ''
  const now = await openFile({ path }, workspace, {})
  const then = await workspace.run(recallVersion, { path, hash: expected })
  const hash = `Its hash is ${shortHash(now.hash)} now.`
  if (then === undefined) return `${hash} The earlier content is not in the history: something else changed it.`
  if (now.text === undefined) return hash
  const diff = compactHunks(then, now.text).text
  return `${hash} What changed since:\n${cutUnits(diff, maxDiffUnits)}`
}

/** The diff between the version that an edit was meant for and the current one. */
async function changedFrom(
  { path, explanation: { earlier } }: { path: string; explanation: { earlier?: string } },
  workspace: Workspace,
): Promise<string> {
  const now = earlier === undefined ? undefined : await openFile({ path }, workspace, {})
  if (earlier === undefined || now?.text === undefined) return ''
  // The file on disk is unchanged, so an earlier edit of the same call changed the text.
  if (now.text === earlier) return 'It was changed by an earlier edit of this call.'
  return `What changed since:\n${cutUnits(compactHunks(earlier, now.text).text, maxDiffUnits)}`
}

/** The beginning of a hash; tools accept it in place of the whole. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16)
}
