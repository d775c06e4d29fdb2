import * as z from 'zod'
import { isFsError } from '../../../errors.js'
import { contentHash } from '../../../ops/shared/content-hash.js'
import { type RanCommand, runCommand } from '../../../ops/shell/run-command.js'
import { spillOutput } from '../../../ops/shell/spill-output.js'
import type { CallContext } from '../../../tools/dialect.js'
import type { Workspace } from '../../../workspace.js'
import { define, paging } from '../define-tool.js'
import { notUndoableNote } from '../paging/not-undoable-note.js'
import { fittingEnd, fittingStart, sentBytes } from '../paging/token-budget.js'
import { plural, size } from '../print.js'
import { spillDirectory } from './list-and-glob.js'

/** Captured of each stream; the rest is dropped. */
const maxStreamBytes = 8 * 1024 * 1024

/** Room for notes and the names of output files. */
const noteBytes = 500

export const bash = define({
  name: 'bash',
  title: 'Run a command',
  description:
    'Run a shell command to its end, without input, in the workspace root or cwd. Long output is shown in part and outputFiles whole in a file that read_file can read.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  group: 'shell',
  channel: 'payload',
  mutates: true,
  needs: 'shell',
  input: {
    command: z.string(),
    cwd: z.string().exactOptional(),
    timeout_ms: z.int().min(1).exactOptional(),
    max_tokens: paging.max_tokens,
  },
  facts: { exit_code: z.int(), ended: z.string(), output: z.array(z.string()) },

  async run({ command, cwd, timeout_ms }, workspace, call) {
    const { limits } = workspace
    const timeoutMs = Math.min(timeout_ms ?? limits.commandTimeoutMs, limits.maxCommandTimeoutMs)
    const request = { command, timeoutMs, graceMs: 1000, maxStreamBytes, ...(cwd !== undefined && { cwd }) }
    const ran = await workspace.run(runCommand, request, call)
    const room = call.room - noteBytes
    const [out, err] = [textOf(ran.stdout.bytes), textOf(ran.stderr.bytes)]
    const half = Math.floor(room / 2)
    const outRoom = Math.max(half, room - sentBytes(err))
    const stdout = await shownStream(out, outRoom, 'stdout', workspace, call)
    const stderr = await shownStream(err, Math.max(half, room - sentBytes(out)), 'stderr', workspace, call)
    const outputFiles = [stdout.file, stderr.file].filter((file) => file !== undefined)
    return {
      payload: [stdout.text, stderr.text === '' ? '' : `[stderr]\n${stderr.text}`].filter(Boolean).join('\n'),
      notes: [
        `[${endOf(ran, timeoutMs)}]`,
        (ran.stdout.cut || ran.stderr.cut) && `[output beyond ${size(maxStreamBytes)} was dropped]`,
        outputFiles.length > 0 && `[whole output: ${outputFiles.join(', ')}]`,
        changedNote(ran),
      ],
      facts: {
        ...(ran.exitCode !== undefined && { exit_code: ran.exitCode }),
        ended: ran.ended,
        ...(outputFiles.length > 0 && { output: outputFiles }),
      },
      failed: ran.ended !== 'exit',
    }
  },
})

/** What the command changed, where that was found by comparing the tree; elsewhere the history records it anyway. */
function changedNote({ witnessed, record: own }: RanCommand): string | false {
  if (witnessed === undefined) return own?.undoable === false && notUndoableNote
  if (!witnessed.watched) return `[what it changed is not in the history: ${unwatched[witnessed.reason]}]`
  const { record, unkept } = witnessed
  const count = record?.steps.length ?? 0
  const lost = unkept.length > 0 && `[${plural(unkept.length, 'path')} changed that cannot be undone]`
  if (count === 0) return lost
  const changed = `[changed ${plural(count, 'path')}${record?.undoable ? '; undo with history' : ''}]`
  if (record?.undoable === false) return `${changed}\n${notUndoableNote}`
  return lost ? `${changed}\n${lost}` : changed
}

const unwatched = {
  'too-many': 'there are too many files to compare',
  unreadable: 'some files can not be read',
  failed: 'comparing them failed',
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '')
}

function endOf({ ended, exitCode, signal }: RanCommand, timeoutMs: number): string {
  if (ended === 'timeout') return `ended after ${timeoutMs} ms; give more with timeout_ms`
  if (ended === 'aborted') return 'cancelled'
  if (ended === 'output-limit') return 'ended because it wrote too much'
  return signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`
}

/** The beginning and the end of a stream, and the file that has all of it. */
async function shownStream(
  text: string,
  room: number,
  name: 'stdout' | 'stderr',
  workspace: Workspace,
  context: CallContext,
): Promise<{ text: string; file?: string }> {
  if (sentBytes(text) <= room) return { text }
  const file = await storeOutput(text, name, workspace, context)
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
async function storeOutput(
  text: string,
  name: string,
  workspace: Workspace,
  context: CallContext,
): Promise<string | undefined> {
  const content = new TextEncoder().encode(`${text}\n`)
  const file = `${name}-${(await contentHash(content)).slice(0, 16)}.log`
  try {
    const spilled = { directory: spillDirectory, name: file, content }
    return (await workspace.run(spillOutput, spilled, context)).path
  } catch (error) {
    // If the output can't be stored, its parts are still shown.
    if (isFsError(error)) return undefined
    throw error
  }
}
