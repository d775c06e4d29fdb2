/** Text of a pattern, with what was quoted in it. */

/** Pieces of a pattern: quoted ones stand for themselves. */
export type PatternText = ReadonlyArray<{ text: string; quoted: boolean }>

/** One character of a pattern. */
export interface PatternCharacter {
  text: string
  quoted: boolean
}

/** The characters of a pattern. A backslash in unquoted text quotes what follows. */
export function charactersOf(pattern: PatternText): PatternCharacter[] {
  const characters: PatternCharacter[] = []
  let escapes = false
  for (const { text, quoted } of pattern) {
    for (const character of text) {
      if (!quoted && !escapes && character === '\\') {
        escapes = true
        continue
      }
      characters.push({ text: character, quoted: quoted || escapes })
      escapes = false
    }
  }
  if (escapes) characters.push({ text: '\\', quoted: true })
  return characters
}

/** Whether a text has characters that have a meaning in patterns. */
export function isPattern(pattern: PatternText, extglob: boolean): boolean {
  const special = extglob ? /[*?\\]|\[|[+@!]\(/ : /[*?\\]|\[/
  return pattern.some(({ text, quoted }) => !quoted && special.test(text))
}
