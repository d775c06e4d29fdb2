/** Reads the bodies of here-documents. */
import type { Part, Word } from './ast.js'
import { SyntaxFault } from './fault.js'
import {
  createInput,
  type Grammar,
  type Input,
  lineOf,
  type PartsMode,
  type PendingHeredoc,
  readWord,
} from './input.js'
import { heredocMode } from './modes.js'

/** Takes a newline, and the here-documents that begin after it. */
export function takeNewline(input: Input): void {
  input.at += 1
  if (input.heredocs.length > 0) readHeredocs(input)
}

/** Reads all pending bodies. At the end of the text the rest is the body. */
export function readHeredocs(input: Input): void {
  const pending = input.heredocs
  input.heredocs = []
  for (const heredoc of pending) readBody(input, heredoc)
}

function readBody(input: Input, { redirection, delimiter, quoted, stripsTabs }: PendingHeredoc): void {
  const firstLine = lineOf(input)
  let body = ''
  for (;;) {
    const line = readLine(input, quoted)
    if (line === undefined) {
      input.isOpen = true
      break
    }
    const stripped = stripsTabs ? line.replace(/^\t+/, '') : line
    if (stripped === delimiter || stripped === `${delimiter}\n` || endsAtBracket(input, stripped, delimiter)) break
    body += stripped.endsWith('\n') ? stripped : `${stripped}\n`
  }
  redirection.target = quoted
    ? { type: 'word', parts: body === '' ? [] : [{ type: 'quoted', text: body }], source: body }
    : parseHeredocText(body, input.grammar, firstLine, input.depth)
}

/** As in bash, `EOF)` ends a body inside of `$(…)`; what follows the delimiter is read on. */
function endsAtBracket(input: Input, line: string, delimiter: string): boolean {
  if (!input.isEnclosed || !line.startsWith(delimiter) || !line.includes(')', delimiter.length)) return false
  const rest = line.slice(delimiter.length)
  if (!input.text.startsWith(rest, input.at - rest.length)) return false
  input.at -= rest.length
  return true
}

/** The next line with its end. Unless quoted, lines that end in a backslash are joined with the next. */
function readLine(input: Input, quoted: boolean): string | undefined {
  const { text } = input
  if (input.at >= text.length) return undefined
  let line = ''
  for (;;) {
    const newline = text.indexOf('\n', input.at)
    const end = newline < 0 ? text.length : newline + 1
    line += text.slice(input.at, end)
    input.at = end
    if (quoted || newline < 0 || !/(?:^|[^\\])(?:\\\\)*\\\n$/.test(line)) return line
    line = line.slice(0, -2)
  }
}

/** The parts of a body. An error in it is reported when it is expanded. */
export function parseHeredocText(
  body: string,
  grammar: Grammar,
  firstLine = 1,
  depth = 0,
  mode: PartsMode = heredocMode,
): Word {
  const inner = createInput(body, grammar, firstLine, depth)
  try {
    return readWord(inner, mode)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const part: Part = { type: 'command', body: [], source: body, fault: error, failsCommand: true }
    return { type: 'word', parts: [part], source: body }
  }
}
