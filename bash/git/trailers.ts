/** Lines such as `Signed-off-by: …` at the end of a message. */
import type { Person } from '../../src/git/objects/objects.js'

export function signedOff(message: string, { name, email }: Person): string {
  return withTrailer(message, `Signed-off-by: ${name} <${email}>`)
}

export function withTrailer(message: string, line: string): string {
  const text = message.trimEnd()
  const last = text.split('\n').at(-1) ?? ''
  if (last === line) return `${text}\n`
  const isBlock =
    text.includes('\n\n') &&
    text
      .slice(text.lastIndexOf('\n\n') + 2)
      .split('\n')
      .every((each) => /^[A-Za-z0-9-]+: /.test(each))
  return `${text}${isBlock ? '\n' : '\n\n'}${line}\n`
}
