/** Cases with one forgivable mistake each, made from the cases of our own tools: the answer must be the same, but for a note. */
import { otherNames, plainName } from '../../../src/dialects/polyfs/forgive/other-names.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import type { JsonSchema } from '../../../src/tools/dialect.js'
import { vectors } from '../vectors/cases.js'
import { untried } from '../vectors/coverage.js'
import type { Vector } from '../vectors/stage.js'
import type { Call } from '../vectors/types.js'

interface Property {
  type?: string
  enum?: string[]
  items?: Property
  properties?: Record<string, Property>
  anyOf?: Property[]
}

export interface Mistake {
  /** Such as `edit_file.edits[].old_string as oldString`. */
  readonly name: string
  readonly vector: Vector
  /** A part of the note; undefined where the mistake needs none. */
  readonly note?: string
  /** The note takes room from the page, so only success is expected. */
  readonly isPaged: boolean
}

/** One wrong form of the arguments of a call. */
interface Wrong {
  kind: string
  args: Record<string, unknown>
  note?: string
}

type Args = Readonly<Record<string, unknown>>

/** The shortest first: each mistake is made in the first case that has room for it. */
const own = vectors
  .filter(({ dialect, calls }) => dialect === polyfs.name && calls.flat().every((call) => 'tool' in call))
  .sort((a, b) => a.calls.length - b.calls.length)

/** `one` other name of each parameter, or `all`. */
export function mistakes(names: 'one' | 'all'): Mistake[] {
  const found = new Map<string, Mistake>()
  for (const vector of own) {
    vector.calls.flat().forEach((call, at) => {
      if (!('tool' in call) || !succeeds(call)) return
      const schema = polyfs.tools.find(({ name }) => name === call.tool)?.schema().input as Property & JsonSchema
      for (const { kind, args, note } of wrongForms(call.tool, schema, call.args ?? {}, names)) {
        const name = `${call.tool}.${kind}`
        if (found.has(name)) continue
        const changed = { ...vector, calls: replaced(vector.calls, at, { ...call, args }) }
        const isPaged = /max_tokens|cursor/.test(JSON.stringify(vector.calls))
        found.set(name, { name, vector: changed, isPaged, ...(note !== undefined && { note }) })
      }
    })
  }
  return [...found.values()]
}

/** Parameters that no case could be made for. */
export function unmistaken(): string[] {
  const tools = polyfs.tools.map(({ name, schema }) => ({ name, inputSchema: schema().input }))
  return untried(
    tools.filter(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).length > 0),
    own,
  ).filter((name) => !name.includes(':'))
}

function succeeds({ expect = {} }: Call): boolean {
  return expect.isError !== true && expect.fails === undefined && expect.error === undefined && !expect.oneOf
}

function replaced(calls: Vector['calls'], at: number, call: Call): Vector['calls'] {
  let index = -1
  const next = (one: Call) => {
    index += 1
    return index === at ? call : one
  }
  return calls.map((step) => (Array.isArray(step) ? step.map(next) : next(step)))
}

function* wrongForms(tool: string, schema: Property, args: Args, names: 'one' | 'all'): Generator<Wrong> {
  const { properties = {} } = schema
  yield* wrongNames(tool, properties, args, names)
  for (const [key, value] of Object.entries(args)) {
    const property = properties[key]
    if (property === undefined) continue
    for (const { kind, value: wrong } of wrongValues(property, value)) {
      // Some lists are right as a single text, too.
      const isRight = takesOne(tool, key) && typeof wrong === 'string' && !wrong.includes('[')
      yield { kind: `${key} ${kind}`, args: { ...args, [key]: wrong }, ...(!isRight && { note: key }) }
    }
    const inner = property.items?.properties
    const items = Array.isArray(value) ? value : []
    if (inner === undefined || items.length === 0) continue
    for (const [at, item] of items.entries()) {
      for (const { kind, args: wrong, note } of wrongForms(tool, { properties: inner }, item as Args, names)) {
        const changed = items.map((one, index) => (index === at ? wrong : one))
        yield { kind: `${key}[].${kind}`, args: { ...args, [key]: changed }, ...(note !== undefined && { note }) }
      }
    }
  }
  for (const key of Object.keys(properties)) {
    if (key in args || (schema as { required?: string[] }).required?.includes(key)) continue
    yield { kind: `${key} is null`, args: { ...args, [key]: null }, note: `${key} null as left out` }
  }
  yield* wrongPaths(tool, args, 'type' in schema)
}

function* wrongNames(
  tool: string,
  properties: Readonly<Record<string, Property>>,
  args: Args,
  names: 'one' | 'all',
): Generator<Wrong> {
  const others = otherNames(tool, properties)
  for (const [key, value] of Object.entries(args)) {
    const { [key]: _, ...rest } = args
    const spellings = [camelCase(key), key.replaceAll('_', '-'), key.toUpperCase()].filter((name) => name !== key)
    const synonyms = [...others].flatMap(([name, meanings]) => {
      const isMeant = meanings.some(({ parameter, convert }) => parameter === key && convert === undefined)
      const isTaken = name === plainName(key) || Object.hasOwn(properties, name)
      return isMeant && !isTaken && isSettled(meanings.length, value) ? [name] : []
    })
    const few = [...spellings.slice(0, 1), ...synonyms.slice(0, 1)]
    for (const name of names === 'all' ? [...spellings, ...synonyms] : few) {
      if (name in args) continue
      yield { kind: `${key} as ${name}`, args: { ...rest, [name]: value }, note: `${name} as ${key}` }
      if (!few.includes(name)) continue
      yield { kind: `${key} and ${name}`, args: { ...args, [name]: value }, note: `${name} as ${key}` }
    }
  }
}

/** The value of a name with two meanings decides which is meant, where it is a text. */
function isSettled(meanings: number, value: unknown): boolean {
  return meanings === 1 || typeof value === 'string'
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function* wrongValues(property: Property, value: unknown): Generator<{ kind: string; value: unknown }> {
  if (property.anyOf !== undefined) return
  if (typeof value === 'number') {
    yield { kind: 'as text', value: String(value) }
    yield { kind: 'as text with spaces', value: ` ${value} ` }
  }
  if (typeof value === 'boolean') {
    yield { kind: 'as text', value: String(value) }
    yield { kind: 'as a capital text', value: value ? 'True' : 'False' }
  }
  if (property.enum !== undefined && typeof value === 'string')
    yield { kind: 'in capitals', value: value.toUpperCase() }
  if (property.type === 'string' && typeof value === 'string' && property.enum === undefined) {
    yield { kind: 'as a list of one', value: [value] }
    if (/^\d{1,15}$/.test(value) && String(Number(value)) === value) yield { kind: 'as a number', value: Number(value) }
  }
  if (!Array.isArray(value)) return
  yield { kind: 'as JSON', value: JSON.stringify(value) }
  yield { kind: 'as indented JSON', value: ` ${JSON.stringify(value, undefined, 2)}\n` }
  const [only] = value
  const isAlone = value.length === 1 && !Array.isArray(only) && !(typeof only === 'string' && /^\s*[[{]/.test(only))
  if (isAlone) yield { kind: 'as its only item', value: only }
}

/** Paths of what exists: the root of every case is a directory `work`. */
const pathsOf: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path', 'paths'],
  list_dir: ['path'],
  glob: ['path'],
  grep: ['path', 'paths'],
  file_info: ['path', 'paths'],
  edit_file: ['path', 'paths'],
  move: ['source', 'sources'],
  copy: ['source', 'sources'],
  bash: ['cwd'],
  git: ['path'],
  archive: ['paths'],
}

function takesOne(tool: string, key: string): boolean {
  return key === 'exclude' || (tool === 'grep' && key === 'paths')
}

function* wrongPaths(tool: string, args: Args, isOutermost: boolean): Generator<Wrong> {
  for (const key of pathsOf[tool] ?? []) {
    const [first, ...others] = [args[key] ?? []].flat() as string[]
    if (first === undefined || first.startsWith('/') || /^\{|[%?#]/.test(first)) continue
    const wrong: Record<string, string> = {
      'in quotes': `"${first}"`,
      'in single quotes': `'${first}'`,
      'in backticks': `\`${first}\``,
      'with spaces': ` ${first}\n`,
      'as an address': `file://{ROOT}/${first}`,
      'with the name of the root': `work/${first}`,
      'with ./ and the name of the root': `./work/${first}`,
    }
    for (const [kind, path] of Object.entries(wrong)) {
      const value = Array.isArray(args[key]) ? [path, ...others] : path
      yield { kind: `${key} ${kind}`, args: { ...args, [key]: value }, note: 'read as' }
    }
    // Where several files are read, their headings repeat the paths as given.
    if (isOutermost && !Array.isArray(args[key]))
      yield { kind: `${key} with a slash at the end`, args: { ...args, [key]: `${first}/` } }
  }
}

export function toolsWithMistakes(all: readonly Mistake[]): string[] {
  return [...new Set(all.map(({ name }) => name.slice(0, name.indexOf('.'))))].sort()
}
