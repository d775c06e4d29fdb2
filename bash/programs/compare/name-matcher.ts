/** Shell patterns for names, as `fnmatch` matches them. */
import { compileRegex } from '../../regex/compile-regex.js'

export function nameMatcher(pattern: string): (name: string) => boolean {
  let source = ''
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string
    const set = /^\[[!^]?\]?[^\]]*\]/.exec(pattern.slice(at))?.[0]
    if (character === '*') source += '.*'
    else if (character === '?') source += '.'
    else if (character === '[' && set !== undefined) {
      source += set.replace(/^\[!/, '[^')
      at += set.length - 1
    } else if (character === '\\' && at + 1 < pattern.length) source += literal(pattern[(at += 1)] as string)
    else source += literal(character)
  }
  const regex = compileRegex(`^(${source})$`, { syntax: 'extended' })
  return (name) => regex.test(name)
}

function literal(character: string): string {
  return /[.*+?(){}|^$\\[\]]/.test(character) ? `\\${character}` : character
}
