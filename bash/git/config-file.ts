/** Edits configuration files without touching the rest of them. */
import type { Pattern } from './patterns.js'

/** A header such as `[remote "origin"]` as `remote.origin`. */
function sectionOf(line: string): string | undefined {
  const [, name, quoted] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? []
  if (name === undefined) return undefined
  return name.toLowerCase() + (quoted === undefined ? '' : `.${quoted.replaceAll(/\\(.)/g, '$1')}`)
}

function keyIn(line: string): string | undefined {
  return /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*(?:=|$)/.exec(line.replace(/\s*[#;].*$/, ''))?.[1]?.toLowerCase()
}

function splitKey(key: string): { section: string; name: string; header: string } {
  const parts = key.split('.')
  const name = parts.pop() ?? ''
  const [first = '', ...rest] = parts
  const subsection = rest.join('.')
  const header = rest.length === 0 ? `[${first}]` : `[${first} "${subsection.replaceAll(/["\\]/g, '\\$&')}"]`
  return { section: rest.length === 0 ? first.toLowerCase() : `${first.toLowerCase()}.${subsection}`, name, header }
}

function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return /^\s|\s$|[#;]/.test(value) ? `"${escaped}"` : escaped
}

/** Sets a value, or adds another one. */
export function editConfig(before: string, key: string, value: string, isAdded: boolean): string {
  const { section, name, header } = splitKey(key)
  const lines = before.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const row = `\t${name} = ${quoted(value)}`
  let current: string | undefined
  let last = -1
  let found = -1
  const wanted = name.toLowerCase()
  for (const [i, line] of lines.entries()) {
    current = sectionOf(line) ?? current
    if (current !== section) continue
    last = i
    if (!sectionOf(line) && keyIn(line) === wanted) found = i
  }
  if (found !== -1 && !isAdded) lines[found] = row
  else if (last !== -1) {
    // After the last line of the section that says something.
    let at = last
    while (at > 0 && (lines[at] as string).trim() === '') at -= 1
    lines.splice(at + 1, 0, row)
  } else lines.push(header, row)
  return `${lines.join('\n')}\n`
}

/** Removes the values of a key, or those that match; a section that becomes empty is removed too. */
export function unsetValues(before: string, key: string, matches: Pattern | undefined): string {
  const { section, name } = splitKey(key)
  const lines = before.split('\n')
  let current: string | undefined
  const kept = lines.filter((line) => {
    const own = sectionOf(line)
    current = own ?? current
    if (own !== undefined || current !== section || keyIn(line) !== name.toLowerCase()) return true
    return matches !== undefined && !matches.test(line.slice(line.indexOf('=') + 1).trim())
  })
  const result: string[] = []
  for (const [i, line] of kept.entries()) {
    const next = kept.slice(i + 1).find((each) => each.trim() !== '')
    const isEmpty =
      sectionOf(line) === section && (next === undefined || sectionOf(next) !== undefined) && !/\]\s*\S/.test(line)
    if (!isEmpty || kept.length === lines.length) result.push(line)
  }
  return result.join('\n')
}

function eachSection(before: string, change: (lines: string[], section: string | undefined) => string[]): string {
  const sections: string[][] = [[]]
  for (const line of before.split('\n')) {
    if (sectionOf(line) !== undefined) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections.flatMap((lines) => change(lines, sectionOf(lines[0] ?? ''))).join('\n')
}

/** Undefined when there is no such section. */
export function removeSection(before: string, name: string): string | undefined {
  const { section } = splitKey(`${name}.x`)
  let hasFound = false
  const after = eachSection(before, (lines, own) => {
    if (own !== section) return lines
    hasFound = true
    return lines.at(-1) === '' ? [''].slice(1) : []
  })
  return hasFound ? (after === '' || after.endsWith('\n') ? after : `${after}\n`) : undefined
}

export function renameSection(before: string, name: string, to: string): string | undefined {
  const { section } = splitKey(`${name}.x`)
  const { header } = splitKey(`${to}.x`)
  let hasFound = false
  const after = eachSection(before, (all, own) => {
    if (own !== section) return all
    const [head = '', ...lines] = all
    hasFound = true
    return [head.replace(/^\s*\[[^\]]*\]/, () => header), ...lines]
  })
  return hasFound ? after : undefined
}
