/** A line is the text between two line feeds, so the text after the last one is a line too, even when it is empty. */
export const counting = { breaks: 'bare-line-feed', finalEmptyLine: true } as const

export function linesOf(text: string): string[] {
  return text.split('\n')
}

export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index} | ${line}`).join('\n')
}
