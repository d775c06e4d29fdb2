/** Reads a script: lines that begin with a dot are commands of the shell, all others are SQL, which runs when it is complete. */
import { decodeText } from '../../../io/byte-text.js'
import type { ByteReader } from '../../../io/streams.js'
import { LineReader } from '../../text/common/line-reader.js'
import { openShellDatabase } from './connections.js'
import { dotCommand } from './dot-command.js'
import { execute, type Failed, isComplete } from './execute.js'
import { resetOutput } from './output.js'
import { withoutBackslashes } from './quoting.js'
import { atLineStart, isBlank, isEnded, isPlain, type Scan, scanLine, startOfScan } from './scan.js'
import { handleOf, type ShellState, say } from './state.js'

const deepest = 25

/** Returns whether there were errors. */
export async function processInput(state: ShellState, reader: ByteReader, isTerminal = false): Promise<boolean> {
  if (state.nesting === deepest) {
    await say(state, `Input nesting limit (${deepest}) reached at line ${state.line}. Check recursion.\n`)
    return true
  }
  state.nesting += 1
  try {
    return (await inputErrors(state, reader, isTerminal)) > 0
  } finally {
    state.nesting -= 1
  }
}

async function inputErrors(state: ShellState, reader: ByteReader, isTerminal: boolean): Promise<number> {
  const lines = new LineReader(reader)
  let errors = 0
  let sql = ''
  let start = 0
  let scan: Scan = startOfScan
  state.line = 0
  while (errors === 0 || !state.bail || isTerminal) {
    await state.out.flush()
    if (isTerminal) await state.io.stdout.write(state.prompts[sql === '' ? 0 : 1])
    const bytes = await lines.next()
    if (bytes === undefined) break
    let line = decodeText(bytes).replace(/\r$/, '')
    const nul = line.indexOf('\0')
    if (nul >= 0) line = line.slice(0, nul)
    state.line += 1
    state.io.step()
    if (isPlain(scan) && isTerminator(line) && isComplete(state, `${sql};`)) line = ';'
    scan = scanLine(line, scan)
    if (isBlank(scan) && sql === '') {
      await echo(state, line)
      scan = startOfScan
      continue
    }
    if (sql === '' && atLineStart(line)) {
      await echo(state, line)
      const status = line.startsWith('.') ? await dotCommand(state, line) : 0
      if (status === 2) break
      if (status !== 0) errors += 1
      scan = startOfScan
      continue
    }
    if (sql === '') {
      sql = line.replace(/^[ \t\v\f\r]+/, '')
      start = state.line
    } else sql += `\n${line}`
    if (isEnded(scan) && isComplete(state, sql)) {
      await echo(state, sql)
      errors += await runText(state, sql, start, isTerminal)
      sql = ''
      scan = startOfScan
      if (state.outCount > 0) {
        await resetOutput(state)
        state.outCount = 0
      }
    } else if (isBlank(scan)) {
      await echo(state, sql)
      sql = ''
      scan = startOfScan
    }
  }
  if (sql !== '') {
    await echo(state, sql)
    errors += await runText(state, sql, start, isTerminal)
  }
  return errors
}

/** What ends a statement elsewhere: a line with `go` or `/`. */
function isTerminator(line: string): boolean {
  const [, rest] = /^[ \t\v\f\r]*(?:\/|go)(.*)$/is.exec(line) ?? []
  return rest !== undefined && scanLine(rest, startOfScan) === startOfScan
}

async function echo(state: ShellState, text: string): Promise<void> {
  if (state.echo) await state.out.write(`${text}\n`)
}

const kinds: Readonly<Record<Failed['phase'], string>> = { prepare: 'Parse error', step: 'Runtime error' }

async function runText(state: ShellState, text: string, start: number, isTerminal: boolean): Promise<number> {
  await openShellDatabase(state)
  const before = state.io.clock.elapsed()
  const failed = await execute(state, state.backslash ? withoutBackslashes(text) : text)
  if (state.isTimed) await writeTime(state, state.io.clock.elapsed() - before)
  if (failed !== undefined) {
    const place = isTerminal ? ':' : ` near line ${start}:`
    await state.out.flush()
    await say(state, `${kinds[failed.phase]}${place} ${failed.message}\n`)
    return 1
  }
  if (state.countChanges) {
    const handle = handleOf(state)
    const changes = state.engine.callLong('sqlite3_changes64', handle)
    const total = state.engine.callLong('sqlite3_total_changes64', handle)
    await state.out.write(`changes: ${changes}   total_changes: ${total}\n`)
  }
  return 0
}

async function writeTime(state: ShellState, ms: number): Promise<void> {
  const seconds = (value: number) => (value / 1000).toFixed(6)
  await state.io.stdout.write(`Run Time: real ${(ms / 1000).toFixed(3)} user ${seconds(ms)} sys ${seconds(0)}\n`)
}
