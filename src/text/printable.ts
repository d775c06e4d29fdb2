/**
 * A file name that is safe to print for a model or a terminal: control, bidirectional and invisible format characters are escaped as
 * `\u{…}`, so that a name can neither control the terminal nor look like another line of output.
 */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) => {
    return joinsEmoji.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

/** Zero-width joiner and variation selectors belong to ordinary emoji. */
const joinsEmoji = /[\u200d\ufe0e\ufe0f]/
