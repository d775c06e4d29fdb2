/**
 * The same text for all names, or paths, that are equal on a file system which ignores case or normal forms. Case is folded character by
 * character, as these file systems do: `ß` stays apart from `ss`, and a final sigma is a sigma.
 */
export function foldedName(name: string): string {
  return name.normalize('NFC').replace(notAscii, foldedCharacter).toLowerCase().normalize('NFC')
}

const notAscii = /[^\p{ASCII}]/gu

function foldedCharacter(character: string): string {
  const upper = oneFor(character, character.toUpperCase())
  return oneFor(upper, upper.toLowerCase())
}

/** The other form, if that is one character too. */
function oneFor(character: string, other: string): string {
  return [...other].length === 1 ? other : character
}
