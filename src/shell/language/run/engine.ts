/** The interpreter, as expansions and builtins see it. */
import { parseScript } from '../syntax/parse.js'
import { runCommand } from './run-command.js'
import { runStatements } from './run-list.js'
import { runWords } from './run-simple.js'
import type { Engine } from './shell.js'
import { runLines } from './shell-program.js'
import { capture, startProcess } from './subshell.js'

export const engine: Engine = {
  runStatements,
  runCommand,
  runText: (shell, text, file) =>
    file === undefined ? runLines(shell, text, `${shell.sourceName()}: eval`, shell.line) : runLines(shell, text, file),
  arrayLiteralOf(text) {
    const [statement] = parseScript(`x=${text}`).statements
    const command = statement?.first.commands[0]
    const value = command?.type === 'simple' ? command.assignments[0]?.value : undefined
    return value?.type === 'array' ? value : { type: 'array', elements: [] }
  },
  capture,
  startProcess,
  runWords,
}
