/** Runs a script on its input. */
import type { ProgramIo } from '../../io/program.js'
import type { ShellRegex } from '../../regex/index.js'
import { ProgramError } from '../program-error.js'
import { applies, type Place } from './addresses.js'
import { type AppendSettings, appendQueue } from './append-queue.js'
import type { SedInput } from './input.js'
import { listLine } from './list-line.js'
import type { Sink } from './outputs.js'
import type { Script, Substitution } from './script.js'
import { substitute } from './substitute.js'

export interface RunSettings extends AppendSettings {
  /** GNU prints the pattern space when `N` finds no next line. */
  printsAtEnd: boolean
  isQuiet: boolean
  lineLength: number
  isUnbuffered: boolean
  /** What a command writes. */
  outputOf(command: string): Promise<string>
}

/** What stays from one file to the next. */
export interface RunMemory {
  lastRegex: ShellRegex | undefined
}

const flushUnits = 64 * 1024

/** Returns the status that `q` gave; undefined when the input came to its end. */
export async function runScript(
  io: ProgramIo,
  script: Script,
  input: SedInput,
  output: Sink,
  settings: RunSettings,
  memory: RunMemory,
): Promise<number | undefined> {
  const { commands } = script
  const { isQuiet, mark, files } = settings
  let space = ''
  let hasEnd = true
  let hold = ''
  let holdHasEnd = true
  let isReplaced = false
  const appended = appendQueue(io, output, settings)
  const place: Place = {
    line: 0,
    isLast: () => input.isLast(),
    matches: (regex) => regexOf(regex).test(space),
  }

  function regexOf(regex: ShellRegex | undefined): ShellRegex {
    memory.lastRegex = regex ?? memory.lastRegex
    if (memory.lastRegex === undefined) {
      throw new ProgramError('-e expression #1, char 0: no previous regular expression')
    }
    return memory.lastRegex
  }

  function takeLine(): boolean {
    const next = input.take()
    if (next === undefined) return false
    space = next.text
    hasEnd = next.hasEnd
    place.line += 1
    isReplaced = false
    return true
  }

  function replace(how: Substitution): boolean {
    const regex = regexOf(how.regex)
    if (how.replacement.maxGroup > regex.groups && !how.replacement.isLenient) {
      throw new ProgramError(
        `-e expression #1, char 0: invalid reference \\${how.replacement.maxGroup} on \`s' command's RHS`,
      )
    }
    const changed = substitute(space, regex, how)
    if (changed === undefined) return false
    space = changed
    isReplaced = true
    return true
  }

  function showReplaced({ isPrinted, file, runs }: Substitution): void {
    if (isPrinted && runs !== 'print-first') output.line(space, hasEnd)
    if (file !== undefined) files.get(file).line(space, hasEnd)
  }

  /** What the pattern space prints as a command is the new one. */
  async function runSpace(): Promise<void> {
    await files.flush()
    const printed = await settings.outputOf(space)
    space = printed.endsWith(mark) ? printed.slice(0, -1) : printed
  }

  /** The text of `i` and `c`, which is a line of the output. */
  function writeText(text: string): void {
    if (text === '') output.raw('')
    else output.line(text.slice(0, -1), true)
  }

  async function endCycle(): Promise<void> {
    if (!appended.isEmpty()) await appended.write()
    if (output.size() > flushUnits || settings.isUnbuffered) await output.flush()
    if (place.line % 256 === 0) {
      io.step(256)
      await files.flush()
    }
  }

  /** Jumps back without reading a line. */
  let restarts = false

  for (;;) {
    if (!restarts) {
      if (!input.isReady()) await input.prepare()
      if (!takeLine()) break
    }
    restarts = false
    let isPrinted = !isQuiet
    let status: number | undefined
    let quitsAtOnce = false

    cycle: for (let at = 0; at < commands.length; at += 1) {
      const command = commands[at]
      if (command === undefined) break
      const { range, action } = command
      if (range !== undefined && !applies(range, place)) {
        if (action.name === '{') at = action.end
        continue
      }
      switch (action.name) {
        case 's':
          if (!replace(action.substitution)) break
          if (action.substitution.runs === 'print-first') output.line(space, hasEnd)
          if (action.substitution.runs !== undefined) await runSpace()
          showReplaced(action.substitution)
          break
        case 'e':
          if (action.command !== '') {
            await files.flush()
            output.append(await settings.outputOf(action.command))
            break
          }
          await runSpace()
          hasEnd = true
          break
        case 'p':
          output.line(space, hasEnd)
          break
        case 'd':
          isPrinted = false
          break cycle
        case 'D': {
          isPrinted = false
          const end = space.indexOf(mark)
          if (end < 0) break cycle
          space = space.slice(end + 1)
          restarts = true
          break cycle
        }
        case 'P': {
          const end = space.indexOf(mark)
          output.line(end < 0 ? space : space.slice(0, end), end >= 0 || hasEnd)
          break
        }
        case 'n':
          if (!input.isReady()) await input.prepare()
          if (input.isLast()) break cycle
          if (!isQuiet) output.line(space, hasEnd)
          if (!appended.isEmpty()) await appended.write()
          takeLine()
          if (output.size() > flushUnits) await output.flush()
          break
        case 'N': {
          if (!input.isReady()) await input.prepare()
          if (input.isLast()) {
            isPrinted &&= settings.printsAtEnd
            break cycle
          }
          if (!appended.isEmpty()) await appended.write()
          const before = space
          takeLine()
          space = before + mark + space
          io.step()
          break
        }
        case 'g':
          space = hold
          hasEnd = holdHasEnd
          break
        case 'G':
          space += mark + hold
          hasEnd = holdHasEnd
          break
        case 'h':
          hold = space
          holdHasEnd = hasEnd
          break
        case 'H':
          hold += mark + space
          holdHasEnd = hasEnd
          break
        case 'x':
          ;[space, hold] = [hold, space]
          ;[hasEnd, holdHasEnd] = [holdHasEnd, hasEnd]
          break
        case 'z':
          space = ''
          break
        case 'b':
          at = action.target - 1
          io.step()
          if (output.size() > flushUnits) await output.flush()
          break
        case 't':
        case 'T':
          if (isReplaced === (action.name === 't')) {
            at = action.target - 1
            io.step()
            if (output.size() > flushUnits) await output.flush()
          }
          isReplaced = false
          break
        case 'a':
          appended.add({ text: action.text })
          break
        case 'i':
          writeText(action.text)
          break
        case 'c':
          isPrinted = false
          // Of a range, the text comes at its end.
          if (range?.end === undefined || !range.isActive) writeText(action.text)
          break cycle
        case '=':
          output.line(String(place.line), true)
          break
        case 'F':
          output.line(input.name(), true)
          break
        case 'l':
          output.raw(listLine(space, action.width ?? settings.lineLength).replaceAll('\n', mark))
          break
        case 'r':
          if (range?.isBeforeAll === true) await appended.writeBefore(action.file)
          else appended.add({ file: action.file })
          break
        case 'R':
          appended.add({ lineOf: action.file })
          break
        case 'w':
          files.get(action.file).line(space, hasEnd)
          break
        case 'W': {
          const end = space.indexOf(mark)
          files.get(action.file).line(end < 0 ? space : space.slice(0, end), end >= 0 || hasEnd)
          break
        }
        case 'y':
          space = Array.from(space, (character) => action.map.get(character) ?? character).join('')
          break
        case 'q':
          status = action.status
          break cycle
        case 'Q':
          isPrinted = false
          appended.clear()
          status = action.status
          quitsAtOnce = true
          break cycle
      }
    }
    if (isPrinted) output.line(space, hasEnd)
    await endCycle()
    if (status !== undefined) {
      // A last line that lacks its end gets it.
      if (!quitsAtOnce) output.raw('')
      input.giveBack()
      return status
    }
  }
  return undefined
}
