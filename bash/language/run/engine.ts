/** The interpreter, as expansions and builtins see it. */
import { parseScript } from '../syntax/parse.js'
import { runCommand } from './run-command.js'
import { runStatements } from './run-list.js'
import { runWords } from './run-simple.js'
import { runLines } from './shell-program.js'
import { AbandonJump } from './state/jumps.js'
import type { Engine } from './state/shell.js'
import { driveLater, wait } from './state/steps.js'
import { capture, startProcess } from './subshell.js'

const maxTexts = 500
/** Texts that are nested in each other on one stack of the host. */
const textsPerStack = 20

export const engine: Engine = {
  runStatements,
  runCommand,
  commandsOf(shell, { body, source }) {
    if (shell.aliases.size === 0 || !shell.options.has('expand_aliases')) return body
    const firstLine = body[0]?.line ?? shell.line
    const extglob = () => shell.options.has('extglob')
    return parseScript(source, { firstLine, extglob, alias: (name) => shell.alias(name) }).statements
  },
  *runText(shell, text, file) {
    if (shell.texts >= maxTexts) {
      yield* shell.report(`maximum nesting level exceeded (${maxTexts})`)
      throw new AbandonJump(1)
    }
    shell.texts += 1
    try {
      const run = () =>
        file === undefined
          ? runLines(shell, text, `${shell.sourceName()}: eval`, shell.line)
          : runLines(shell, text, file)
      return shell.texts % textsPerStack === 0 ? yield* wait(driveLater(run)) : yield* run()
    } finally {
      shell.texts -= 1
    }
  },
  arrayLiteralOf(text) {
    const [statement] = parseScript(`x=${text}`).statements
    const command = statement?.first.commands[0]
    const value = command?.type === 'simple' ? command.assignments[0]?.value : undefined
    return value?.type === 'array' ? value : { type: 'array', elements: [], source: '()' }
  },
  capture,
  startProcess,
  runWords,
}
