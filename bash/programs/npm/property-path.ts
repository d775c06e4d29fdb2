/** Paths into JSON as `npm pkg` writes them: `scripts.test`, `files[0]`, `contributors[].name`, `exports[.].import`. */
import { failure } from './npm-failure.js'
import { isObject, type Json, type JsonObject } from './package-json.js'

/** `append`: what `[]` stands for. */
const append = Symbol('append')
type Step = string | typeof append
const forbidden = ['__proto__', 'constructor', 'prototype']

function parsePath(text: string): Step[] {
  const [, before, inside, after] = /(.+)\[([^\]]+)\]\.?(.*)$/s.exec(text) ?? []
  if (before === undefined || inside === undefined) return withoutBrackets(text)
  return [...parsePath(before), inside, ...(after ? parsePath(after) : [])]
}

function withoutBrackets(text: string): Step[] {
  const [, before, after] = /^(.*)\[\]\.?(.*)$/s.exec(text) ?? []
  if (before === undefined) return text.split('.')
  return [...(before === '' ? [] : withoutBrackets(before)), append, ...(after ? after.split('.') : [])]
}

/** What is at a path, by the path: several for a name inside of the items of an array; nothing where there is none. */
export function lookUp(data: JsonObject, path: string): JsonObject {
  let at: Json = data
  let label = ''
  for (const step of parsePath(path.trim())) {
    if (step === append) throw failure('Empty brackets are not valid syntax for retrieving values.', 'EINVALIDSYNTAX')
    if (Array.isArray(at) && !Number.isInteger(Number(step))) {
      return Object.fromEntries(
        at.flatMap((item, index) => {
          const value = isObject(item) ? item[step] : undefined
          return value === undefined ? [] : [[`${label}[${index}].${step}`, value]]
        }),
      )
    }
    const next: Json | undefined = Array.isArray(at) ? at[Number(step)] : isObject(at) ? own(at, step) : undefined
    if (next === undefined) return {}
    at = next
    label += step
  }
  const only = Array.isArray(at) && at.length <= 1 ? at[0] : at
  return only === undefined ? {} : { [path]: only }
}

const own = (value: JsonObject, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)

/** `value`: undefined removes what is there. */
export function setAt(
  data: JsonObject,
  path: string,
  { value, force = false }: { value: Json | undefined; force?: boolean },
): void {
  const steps = parsePath(path.trim())

  function place(given: JsonObject | Json[], index: number): JsonObject | Json[] {
    const step = steps[index] as Step
    if (forbidden.includes(String(step))) throw failure(`Forbidden key: "${String(step)}"`, 'EFORBIDDENKEY')
    let target = given
    const isIndex = step === append || !Number.isNaN(Number(step))
    if (isIndex && !Array.isArray(target) && Object.keys(target).length === 0) target = []
    if (force && Array.isArray(target) && !isIndex) target = { ...target } as unknown as JsonObject
    if (step === append && !Array.isArray(target))
      throw failure("Can't use append syntax in non-Array element", 'ENOAPPEND')
    const key = step === append ? (target as Json[]).length : isIndex ? Number(step) : step
    const slots = target as Record<string | number, Json | undefined>
    if (index < steps.length - 1) slots[key] = place(inner(slots[key], key, index), index + 1)
    else if (value !== undefined) slots[key] = value
    else if (Array.isArray(target)) target.splice(Number(key), 1)
    else delete slots[key]
    return target
  }

  function inner(value_: Json | undefined, key: string | number, index: number): JsonObject | Json[] {
    const next = steps[index + 1] as Step
    const isKept = !force && value_ !== undefined && value_ !== null && value !== undefined
    if (isKept && typeof value_ !== 'object') {
      throw failure(`Property ${key} already exists and is not an Array or Object.`, 'EOVERRIDEVALUE')
    }
    if (isKept && next !== append && Array.isArray(value_) && Number.isNaN(Number(next))) {
      throw failure(`Can't add property ${path} to an Array.`, 'ENOADDPROP')
    }
    return typeof value_ === 'object' && value_ !== null ? value_ : {}
  }

  place(data, 0)
}
