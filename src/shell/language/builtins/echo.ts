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
