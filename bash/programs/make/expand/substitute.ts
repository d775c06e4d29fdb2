/** Replacing text and words. */
import type { ProgramIo } from '../../../io/program.js'
import { endOfWord, isSpace, type Pattern, skipSpace, stemOf, wordsOf } from '../characters.js'
import { TextBuilder } from './text-builder.js'

type Counted = Pick<ProgramIo, 'account' | 'step'>

/** `$(subst)`. `byWord`: only whole words, with the blanks between them as they are. */
export function substituteText(io: Counted, text: string, from: string, to: string, byWord = false): string {
  if (from === '' && !byWord) return text + to
  const out = new TextBuilder(io)
  let at = 0
  do {
    const next = byWord && from === '' ? endOfWord(text, skipSpace(text, at)) : text.indexOf(from, at)
    if (next < 0) break
    out.add(text.slice(at, next))
    const end = next + from.length
    const isWord = (next === 0 || isSpace(text[next - 1])) && (end === text.length || isSpace(text[end]))
    out.add(byWord && !isWord && from !== '' ? from : to)
    at = end
  } while (at < text.length)
  out.add(text.slice(at))
  return out.finish()
}

/** `$(patsubst)`, for a pattern whose percent sign was found. */
export function substitutePattern(io: Counted, text: string, from: Pattern, to: Pattern): string {
  if (from.percent < 0) return substituteText(io, text, from.text, to.text, true)
  const out = new TextBuilder(io)
  let hasAny = false
  for (const word of wordsOf(text)) {
    const stem = stemOf(from, word)
    const changed =
      stem === undefined
        ? word
        : to.percent < 0
          ? to.text
          : to.text.slice(0, to.percent) + stem + to.text.slice(to.percent + 1)
    if (changed === '') continue
    if (hasAny) out.add(' ')
    hasAny = true
    out.add(changed)
  }
  return out.finish()
}
