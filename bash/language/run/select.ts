/** `select name in words` */
import { readLine } from '../builtins/read-line.js'
import { expandFields } from '../expand/expand-word.js'
import { assignText, namePattern, readText } from '../expand/variable-access.js'
import type { Select, Statement } from '../syntax/ast.js'
import { readonlyVariable } from './run-simple.js'
import { CommandFailure } from './state/jumps.js'
import type { Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'
import { loopHead, trace } from './trace.js'
import { announce } from './traps.js'

const width = 80

export function* runSelect(
  shell: Shell,
  { name, words, body, line }: Select,
  runBody: (shell: Shell, body: readonly Statement[]) => Steps<number>,
): Steps<number> {
  shell.line = line
  if (!namePattern.test(name)) throw new CommandFailure(`\`${name}': not a valid identifier`)
  const values = words === undefined ? shell.positional : yield* expandFields(shell, words)
  if (values.length === 0) return 0
  if (shell.traps.size > 0 && !(yield* announce(shell, loopHead('select', name, words)))) return 0
  if (shell.options.xtrace) yield* trace(shell, loopHead('select', name, words))
  let shows = true
  shell.loops += 1
  try {
    for (;;) {
      shell.step()
      if (shows) yield* shell.complain(menu(values))
      yield* shell.complain(readText(shell, 'PS3') ?? '#? ')
      const { text, ended } = yield* readLine(shell, 0, {})
      if (ended && text === '') {
        yield* shell.write(1, '\n')
        return 1
      }
      assignText(shell, 'REPLY', text)
      shows = text.trim() === ''
      if (shows) continue
      assignText(shell, name, values[Number(text.trim()) - 1] ?? '')
      const turn = yield* runBody(shell, body)
      if (turn < 0) return -1 - turn
      shows = (readText(shell, 'REPLY') ?? '') === ''
    }
  } catch (error) {
    return yield* readonlyVariable(shell, error)
  } finally {
    shell.loops -= 1
  }
}

/** The numbered values, in columns when they are short. */
function menu(values: readonly string[]): string {
  const digits = String(values.length).length
  const items = values.map((value, at) => `${String(at + 1).padStart(digits)}) ${value}`)
  const longest = Math.max(...items.map((item) => item.length)) + 2
  const columns = Math.max(1, Math.min(Math.floor(width / longest), items.length))
  const rows = columns > 1 && items.length > 3 ? Math.ceil(items.length / columns) : items.length
  const lines: string[] = []
  for (let row = 0; row < rows; row += 1) {
    const cells = items.filter((_item, at) => at % rows === row)
    lines.push(cells.map((cell, at) => (at < cells.length - 1 ? cell.padEnd(longest) : cell)).join(''))
  }
  return `${lines.join('\n')}\n`
}
