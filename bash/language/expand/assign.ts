/** Performs assignments. */

import { HashTable } from '../run/state/hash-table.js'
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type Scope, sizeOf } from '../run/state/variables.js'
import type { ArrayLiteral, Assignment } from '../syntax/ast.js'
import { bracedWords, expander, expandFields, expandQuickly, expandText } from './expand-word.js'
import { expandSubscript } from './subscripts.js'
import {
  assignElement,
  assignList,
  assignText,
  refuseReadonly,
  resolveArray,
  resolveReference,
  SubscriptFailure,
} from './variable-access.js'

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
  const text = yield* expandText(shell, value, 'assignment')
  const isKey = shell.variables.get(resolveReference(shell, name).name)?.map !== undefined
  if (/^[@*]?$/.test(subscript.source)) throw new SubscriptFailure(name, subscript.source)
  const key = yield* expandSubscript(expander, shell, subscript, isKey)
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
  const name = givenScope === undefined ? resolveArray(shell, given) : given
  const scope = givenScope ?? shell.variables.scopeOf(name)
  const old = scope.table.get(name)
  refuseReadonly(old, name)
  if (old?.map !== undefined) {
    const entries = yield* keyed(shell, name, yield* expandEntries(shell, elements))
    yield* assignTable(shell, name, entries, { appends, scope })
    return
  }
  const entries = yield* expandElements(shell, elements)
  if (!appends) assignList(shell, name, [], { scope })
  const list = shell.variables.writableList(name, scope)
  let next = list.end
  for (const { key, text, appends: more, source } of entries) {
    const given = key === undefined ? next : shell.arithmetic.index(shell, key)
    const index = given < 0 ? list.end + given : given
    if (index < 0) {
      yield* shell.report(`${source}: bad array subscript`)
      continue
    }
    assignElement(shell, name, String(index), text, { scope, ...(more && { appends: true }) })
    next = index + 1
  }
}

/** `name=(…)` for an associative array. Elements with `+=` add to those before, even if these are gone. */
function* assignTable(
  shell: Shell,
  name: string,
  entries: readonly Entry[],
  { appends, scope }: { appends: boolean; scope: Scope },
): Steps<void> {
  const old = scope.table.get(name) ?? {}
  if (!appends) {
    shell.accountFor(name, sizeOf(old), 0)
    const map = new HashTable(old.map?.buckets)
    map.isAssigned = true
    shell.variables.set(name, { ...old, map, owner: scope.table }, scope)
  }
  for (const { key = '', text, appends: more, source } of entries) {
    if (key === '') {
      yield* shell.report(`${source}: bad array subscript`)
      continue
    }
    const before = more && !appends ? (old.map?.get(key) ?? '') : undefined
    assignElement(shell, name, key, text, {
      scope,
      ...(more && { appends: true }),
      ...(before !== undefined && { before }),
    })
  }
}

interface Entry {
  key?: string
  text: string
  appends?: boolean
  /** As written. */
  source: string
}

/** The elements for an associative array, whose words are neither split nor globs. */
function* expandEntries(shell: Shell, elements: ArrayLiteral['elements']): Steps<Entry[]> {
  const entries: Entry[] = []
  for (const { key, value, appends } of elements) {
    const text = yield* expandText(shell, value, 'plain')
    if (key === undefined) {
      entries.push({ text, source: value.source })
      continue
    }
    const source = `[${key.source}]${appends ? '+' : ''}=${value.source}`
    entries.push({ key: yield* expandText(shell, key, 'plain'), text, source, ...(appends && { appends }) })
  }
  return entries
}

/** All values are expanded before the first is assigned: `a=("${a[@]}" x)`. */
function* expandElements(shell: Shell, elements: ArrayLiteral['elements']): Steps<Entry[]> {
  const entries: Entry[] = []
  for (const { key, value, appends } of elements) {
    if (key !== undefined) {
      const source = `[${key.source}]${appends ? '+' : ''}=${value.source}`
      if (bracedWords(shell, value).length > 1) {
        // Braces make several words of it, which are no assignments any more.
        const start = `[${key.source}]${appends ? '+' : ''}=`
        for (const word of bracedWords(shell, value))
          entries.push({ text: start + (yield* expandText(shell, word)), source })
        continue
      }
      const index = yield* expandSubscript(expander, shell, key, false)
      const text = yield* expandText(shell, value, 'assignment')
      entries.push({ key: index, text, source, ...(appends && { appends }) })
      continue
    }
    for (const text of yield* expandFields(shell, [value])) entries.push({ text, source: value.source })
  }
  return entries
}

/** Words without keys are keys and values in turns when the first one is; otherwise they are wrong. */
function* keyed(shell: Shell, name: string, entries: readonly Entry[]): Steps<Entry[]> {
  if (entries[0]?.key === undefined) {
    const texts = entries.map(({ key, text, appends }) =>
      key === undefined ? text : `[${key}]${appends ? '+' : ''}=${text}`,
    )
    return entries.flatMap(({ source }, at) =>
      at % 2 === 0 ? [{ key: texts[at] as string, text: texts[at + 1] ?? '', source }] : [],
    )
  }
  for (const { key, source } of entries) {
    if (key === undefined)
      yield* shell.report(`${name}: ${source}: must use subscript when assigning associative array`)
  }
  return entries.filter(({ key }) => key !== undefined)
}
