/** `define NAME` up to its `endef`. */
import { joinLines, skipSpace, withoutComment } from '../characters.js'
import type { Origin, Variable } from '../variables.js'
import { assign, assignmentOf, nameOfAssigned } from './assignments.js'
import type { Reader } from './reader.js'

export async function readDefinition(reader: Reader, text: string, origin: Origin): Promise<Variable> {
  const { make, lines } = reader
  const place = { ...lines.place }
  const assignment = assignmentOf(text)
  if (assignment !== undefined && assignment.value !== '') {
    await make.complain("extraneous text after 'define' directive", place)
  }
  const name = await nameOfAssigned(make, assignment?.name ?? text, place)
  const value: string[] = []
  let depth = 1
  for (;;) {
    const raw = lines.next()
    if (raw === undefined) {
      make.reading = place
      throw make.fail("missing 'endef', unterminated 'define'")
    }
    make.io.step()
    const line = joinLines(raw)
    if (!line.startsWith(make.recipePrefix)) {
      const start = line.slice(skipSpace(line, 0))
      if (/^define([ \t]|$)/.test(start)) depth += 1
      else if (/^endef([ \t]|$)/.test(start)) {
        if (withoutComment(start.slice(5)).trim() !== '') {
          await make.complain("extraneous text after 'endef' directive", lines.place)
        }
        depth -= 1
        if (depth === 0) break
      }
    }
    value.push(line)
  }
  return assign(make, { name, value: value.join('\n'), flavor: assignment?.flavor ?? 'recursive' }, { origin, place })
}
