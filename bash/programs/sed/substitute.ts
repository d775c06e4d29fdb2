/** What `s` does to a text. */
import type { ShellRegex } from '../../regex/index.js'
import { expand } from './replacement.js'
import type { Substitution } from './script.js'

/** The new text; undefined when nothing was replaced. */
export function substitute(text: string, regex: ShellRegex, how: Substitution): string | undefined {
  const { replacement, isGlobal, number } = how
  const global = isGlobal && number === 1 && replacement.template !== undefined ? regex.globalFor(text) : undefined
  if (global !== undefined && replacement.template !== undefined) {
    global.lastIndex = 0
    if (!global.test(text)) return undefined
    global.lastIndex = 0
    return text.replace(global, replacement.template)
  }
  let result = ''
  let copied = 0
  let count = 0
  let lastEnd = -1
  let isReplaced = false
  for (let from = 0; from <= text.length; ) {
    const match = regex.exec(text, from)
    if (match === undefined) break
    const { start, end } = match
    const isEmpty = start === end
    // Right after a match there is no empty one.
    if (!(isEmpty && start === lastEnd)) {
      count += 1
      if (count >= number) {
        result += text.slice(copied, start) + expand(replacement, text, match)
        copied = end
        isReplaced = true
        if (!isGlobal) break
      }
      lastEnd = end
    }
    from = isEmpty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end
  }
  return isReplaced ? result + text.slice(copied) : undefined
}
