/** Performs assignments. */
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type Scope, sizeOf } from '../run/state/variables.js'
import type { ArrayLiteral, Assignment, Word } from '../syntax/ast.js'
import { expandFields, expandQuickly, expandText } from './expand-word.js'
import { assignElement, assignList, assignText, refuseReadonly, resolveReference } from './variable-access.js'

/** Returns what was assigned, for `set -x`. */
export function* assign(shell: Shell, assignment: Assignment, scope?: Scope): Steps<string> {
  const { name, subscript, appends, value } = assignment
  const options = { appends, ...(scope && { scope }) }
  if (value.type === 'array') {
    if (subscript !== undefined) {
      throw new ExpansionFailure(`${name}[${subscript.source}]: cannot assign list to array member`)
    }
    yield* assignArray(shell, name, value, options)
    return ''
  }
  if (subscript === undefined) {
    const quick = expandQuickly(shell, value)
    if (quick !== undefined) {
      assignText(shell, name, quick, options)
      return quick
    }
    const text = yield* expandText(shell, value, 'assignment')
    assignText(shell, name, text, options)
    return text
  }
  const key = yield* expandText(shell, subscript)
  const text = yield* expandText(shell, value, 'assignment')
  const isMap = shell.variables.get(resolveReference(shell, name).name)?.map !== undefined
  const isMissing = isMap ? key === '' : key.trim() === ''
  if (isMissing) throw new ExpansionFailure(`${name}[${subscript.source}]: bad array subscript`)
  assignElement(shell, name, key, text, options)
  return text
}

/** `name=(…)` */
export function* assignArray(
  shell: Shell,
  given: string,
  { elements }: ArrayLiteral,
  { appends, scope: givenScope }: { appends: boolean; scope?: Scope },
): Steps<void> {
  const name = givenScope === undefined ? resolveReference(shell, given).name : given
  const scope = givenScope ?? shell.variables.scopeOf(name)
  const old = scope.table.get(name)
  refuseReadonly(old, name)
  const isMap = old?.map !== undefined
  const entries = yield* expandElements(shell, elements, isMap)
  if (!appends) {
    if (isMap) {
      shell.accountFor(name, sizeOf(old), 0)
      shell.variables.set(name, { ...old, map: new Map(), owner: scope.table }, scope)
    } else assignList(shell, name, [], { scope })
  }
  if (isMap) {
    for (const { key = '', text, appends: more } of entries) {
      assignElement(shell, name, key, text, { scope, ...(more && { appends: true }) })
    }
    return
  }
  const list = shell.variables.writableList(name, scope)
  let next = list.end
  for (const { key, text, appends: more } of entries) {
    const index = key === undefined ? next : shell.arithmetic.index(shell, key)
    assignElement(shell, name, String(index), text, { scope, ...(more && { appends: true }) })
    next = (index < 0 ? list.end + index : index) + 1
  }
}

interface Entry {
  key?: string
  text: string
  appends?: boolean
}

/** All values are expanded before the first is assigned: `a=("${a[@]}" x)`. */
function* expandElements(shell: Shell, elements: ArrayLiteral['elements'], isMap: boolean): Steps<Entry[]> {
  const entries: Entry[] = []
  const loose: Word[] = []
  for (const { key, value, appends } of elements) {
    if (key !== undefined) {
      const name = yield* expandText(shell, key)
      const text = yield* expandText(shell, value, 'assignment')
      entries.push({ key: name, text, ...(appends && { appends }) })
      continue
    }
    if (isMap) loose.push(value)
    for (const text of yield* expandFields(shell, [value])) entries.push({ text })
  }
  if (!isMap || loose.length === 0) return entries
  return pairs(entries)
}

/** Words without keys are keys and values in turns. */
function pairs(entries: readonly Entry[]): Entry[] {
  const paired: Entry[] = []
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] as Entry
    if (entry.key !== undefined) paired.push(entry)
    else {
      paired.push({ key: entry.text, text: entries[at + 1]?.text ?? '' })
      at += 1
    }
  }
  return paired
}
