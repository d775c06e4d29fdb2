/** Why a strict tool rejects a glob before it is compiled. */
export type GlobFault = 'empty' | 'too-long' | 'backslash' | 'absolute' | 'parent' | 'globstars' | 'brace-items'

const maxBraceItems = 100

/** The first fault of a pattern that must be relative, short and simple; undefined when it has none. */
export function globFault(pattern: string, { maxLength = 1000 }: { maxLength?: number } = {}): GlobFault | undefined {
  if (pattern.trim() === '') return 'empty'
  if (pattern.length > maxLength) return 'too-long'
  if (pattern.includes('\\')) return 'backslash'
  if (pattern.startsWith('/') || /^[a-zA-Z]:/.test(pattern)) return 'absolute'
  if (pattern.split(/[/{},]/).includes('..')) return 'parent'
  if (pattern.includes('**/**/**')) return 'globstars'
  for (const group of pattern.match(/\{[^{}]*\}/g) ?? []) {
    if (group.split(',').length > maxBraceItems) return 'brace-items'
  }
  return undefined
}
