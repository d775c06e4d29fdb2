import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import type { ChangeRecord } from '../../../ops/history/read-history.js'
import { contentHash } from '../../../ops/shared/content-hash.js'
import { type RanCommand, runCommand } from '../../../ops/shell/run-command.js'
import { spillOutput } from '../../../ops/shell/spill-output.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { printable } from '../../../text/printable.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { notUndoableNote, shortId } from '../change-notes.js'
import { define, paging } from '../define-tool.js'
import { spillDirectory } from '../own-directories.js'
import { fittingEnd, fittingStart, sentBytes } from '../paging/token-budget.js'
import { plural, size } from '../print.js'
import { notesBytes, type Reply } from '../reply.js'
import { displayPath } from '../wording.js'

/** Captured of the output; the rest is dropped. */
const maxOutputBytes = 8 * 1024 * 1024

/** Room for the name of the output file. */
const fileNoteBytes = 200

export const bash = define({
  name: 'bash',
  title: 'Run a command',
  description:
    'Run a shell command to its end, without input; long output is shown in part, and whole in a file that read_file can read. session: a name under which directory and exported variables stay for the next call.',
  annotations: { destructiveHint: true },
  group: 'shell',
  channel: 'payload',
  mutates: true,
  needs: 'shell',
  input: {
    command: z.string(),
    cwd: z.string().exactOptional(),
    session: z.string().exactOptional(),
    timeout_ms: z.int().min(1).exactOptional(),
    max_tokens: paging.max_tokens,
  },
  facts: { exit_code: z.int(), ended: z.string(), cwd: z.string(), output: z.array(z.string()) },

  async run({ command, cwd, session, timeout_ms }, workspace, call) {
    const { limits } = workspace
    const timeoutMs = Math.min(timeout_ms ?? limits.commandTimeoutMs, limits.maxCommandTimeoutMs)
    const request = {
      command,
      timeoutMs,
      graceMs: 1000,
      maxStreamBytes: maxOutputBytes,
      mergeStreams: true,
      ...(cwd !== undefined && { cwd }),
      ...(session !== undefined && { session }),
    }
    const ran = await workspace.run(runCommand, request, call)
    const sessionCwd = ran.session && displayPath(ran.session.cwd, workspace)
    const notes = [
      `[${[endOf(ran, timeoutMs), ...failuresIn(ran)].join('; ')}]`,
      ran.leavesProcesses &&
        '[processes that it started go on; what they print from now on is lost, unless it goes to a file]',
      (ran.stdout.cut || ran.stderr.cut) && `[output beyond ${size(maxOutputBytes)} was dropped]`,
      ran.session && `[${ran.session.isNew ? 'new session' : 'session'}, now in ${sessionCwd}]`,
      ...changeNotes(ran),
    ]
    const room = call.room - notesBytes(notes) - fileNoteBytes
    const { text, file } = await shownOutput(outputOf(ran), room, workspace, call)
    return {
      payload: text,
      notes: [...notes, file !== undefined && `[whole output: ${file}]`],
      facts: {
        ...(ran.exitCode !== undefined && { exit_code: ran.exitCode }),
        ended: ran.ended,
        ...(sessionCwd !== undefined && { cwd: sessionCwd }),
        ...(file !== undefined && { output: [file] }),
      },
      failed: ran.ended !== 'exit',
    }
  },
})

/** What a shell reports for a command whose reader has ended, as in `yes | head`. */
const brokenPipe = 141
const mostFailures = 3

/** The commands of the last pipeline that failed. */
function failuresIn({ pipeline = [] }: RanCommand): string[] {
  const failures = pipeline.flatMap(({ command, exitCode }, at) => {
    if (exitCode === 0 || exitCode === brokenPipe) return []
    return [`command ${at + 1} (${printable(cutUnits(command, 60))}) failed with ${exitCode}`]
  })
  return failures.length === 0 ? [] : [`in the pipeline, ${failures.slice(0, mostFailures).join(', ')}`]
}

/** What the command changed, and what the history holds of it. */
function changeNotes({ commandChanges, record }: RanCommand): Reply['notes'] & object {
  if (commandChanges === undefined) return recordNotes(record)
  if (!commandChanges.watched) return [`[what it changed is not in the history: ${unwatched[commandChanges.reason]}]`]
  const { record: found, unkept } = commandChanges
  const isSaid = unkept.length === 0 || found?.undoable === false
  return [...recordNotes(found), !isSaid && `[${plural(unkept.length, 'path')} changed that cannot be undone]`]
}

function recordNotes(record: ChangeRecord | undefined): (string | false)[] {
  if (record === undefined || record.steps.length === 0) return []
  const { id, steps, undoable } = record
  return [`[change ${shortId(id)}: ${plural(steps.length, 'path')}]`, !undoable && notUndoableNote]
}

const unwatched = {
  'too-many': 'there are too many files to compare',
  unreadable: 'some files can not be read',
  failed: 'comparing them failed',
}

/** A shell may be one that can't merge its streams. */
function outputOf({ stdout, stderr }: RanCommand): string {
  const [output, errors] = [textOf(stdout.bytes), textOf(stderr.bytes)]
  return [output, errors === '' ? '' : `[stderr]\n${errors}`].filter(Boolean).join('\n')
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '')
}

function endOf({ ended, exitCode, signal }: RanCommand, timeoutMs: number): string {
  if (ended === 'timeout') return `ended after ${timeoutMs} ms; give more with timeout_ms`
  if (ended === 'statement-limit') return 'ended because it ran more statements than a command may here'
  if (ended === 'aborted') return 'cancelled'
  if (ended === 'output-limit') return 'ended because it wrote too much'
  return signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`
}

/** The beginning and the end of the output, and the file that has all of it. */
async function shownOutput(
  text: string,
  room: number,
  workspace: Workspace,
  context: CallContext,
): Promise<{ text: string; file?: string }> {
  if (sentBytes(text) <= room) return { text }
  const file = await storeOutput(text, workspace, context)
  const gap = 120
  const head = cutAtLine(text, Math.floor((room - gap) / 3))
  const tail = lastPart(text, Math.floor(((room - gap) * 2) / 3))
  const left = text.slice(head.length, text.length - tail.length).split('\n').length
  return { text: `${head}\n… ${plural(left, 'line')} left out …\n${tail}`, ...(file !== undefined && { file }) }
}

function cutAtLine(text: string, room: number): string {
  const end = fittingEnd(text, { start: 0, end: text.length, room })
  const line = text.lastIndexOf('\n', end)
  return text.slice(0, line > 0 ? line : end)
}

function lastPart(text: string, room: number): string {
  const start = fittingStart(text, room)
  const line = text.indexOf('\n', start)
  return text.slice(line >= 0 && line < text.length - 1 ? line + 1 : start)
}

/** Named by its content, so that equal output is stored once. */
async function storeOutput(text: string, workspace: Workspace, context: CallContext): Promise<string | undefined> {
  const content = new TextEncoder().encode(`${text}\n`)
  const file = `output-${(await contentHash(content)).slice(0, 16)}.log`
  try {
    const spilled = { directory: spillDirectory, name: file, content }
    return (await workspace.run(spillOutput, spilled, context)).path
  } catch (error) {
    // If the output can't be stored, its parts are still shown.
    if (isFsError(error)) return undefined
    throw error
  }
}
