/** `echo` */
import { decodeEscapes } from './escapes.js'

/** What `echo` prints. */
export function echoText(args: readonly string[], escapesByDefault = false): string {
  let newline = true
  let escapes = escapesByDefault
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (!/^-[neE]+$/.test(arg)) break
    for (const letter of arg.slice(1)) {
      if (letter === 'n') newline = false
      else escapes = letter === 'e'
    }
  }
  const text = at === 0 ? args.join(' ') : args.slice(at).join(' ')
  if (!escapes) return newline ? `${text}\n` : text
  const decoded = decodeEscapes(text, 'echo')
  return newline && !decoded.stops ? `${decoded.text}\n` : decoded.text
}

/** What the `echo` of a plain `sh` prints: it only knows `-n`, and always reads escapes. */
export function plainEchoText(args: readonly string[]): string {
  const isShort = args[0] === '-n'
  const { text, stops } = decodeEscapes((isShort ? args.slice(1) : args).join(' '), 'echo')
  return isShort || stops ? text : `${text}\n`
}
