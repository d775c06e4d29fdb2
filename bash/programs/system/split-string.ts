/** Splits the string of `env -S` into words. */
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f', _: ' ' }

export function splitString(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '\\' && quote !== "'") {
      at += 1
      const next = text[at] ?? ''
      if (next === 'c') break
      if (next === '_' && quote === '') {
        if (word !== undefined) words.push(word)
        word = undefined
      } else word = (word ?? '') + (escapes[next] ?? next)
      continue
    }
    if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
      continue
    }
    if (character === '"' || character === "'") {
      quote = character
      word ??= ''
      continue
    }
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    if (character === '#' && word === undefined) break
    word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}
