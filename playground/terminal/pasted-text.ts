/** Text that reaches the terminal by other ways than the keys: pasted, dropped, dictated, from an input method. */

/** No system takes a command that is much longer, and each key draws all of it. */
export const maxPastedUnits = 65_536

/**
 * The text with line breaks as newlines, and without control characters other than tabs: nothing in it can act as a key, or as the end of
 * what is pasted.
 */
export function pastedText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\t\n]/gu, '')
}
