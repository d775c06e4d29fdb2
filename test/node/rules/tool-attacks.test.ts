/** No tool of any dialect shows anything of a denied file, nor that it is there: calls are made from the schemas. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { callTool, ToolProtocolError } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { dialects } from '../../dialects/all.js'
import { isFull, sample } from '../../scale.js'
import { built } from '../cli/built.js'
import { spellings } from './attacks.js'
import { denied, makePlace, openPlace, type Place, secretsIn } from './place.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 2 })
const keptWarm = createWorkspace({ fs: memory(), shell })
let place: Place
beforeAll(async () => {
  place = await makePlace(shell)
})
afterAll(() => keptWarm.shell?.close())

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

/** An argument for each part of a schema: paths where there is one in its name, texts that files have elsewhere. */
function valueFor(name: string, schema: Schema, path: string, everything: boolean): unknown {
  const one = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema
  if (one.const !== undefined) return one.const
  if (one.enum !== undefined) return one.enum[0]
  if (one.type === 'object') return argumentsFor(one, path, everything)
  if (one.type === 'array') return [valueFor(name, one.items ?? {}, path, everything)]
  if (one.type === 'number' || one.type === 'integer') return 1
  if (one.type === 'boolean') return true
  if (/path|file|dir|root|from|source|^to$|dest|target/i.test(name)) return path
  if (/glob/i.test(name)) return '**'
  if (/command/i.test(name)) return `cat ${path}`
  return 'KEY'
}

function argumentsFor(schema: Schema, path: string, everything: boolean): Record<string, unknown> {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties).filter(
    (name) => everything || required.includes(name) || /path|file|dir|root/i.test(name),
  )
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name] ?? {}, path, everything)]))
}

interface Case {
  dialect: Dialect
  tool: string
  args: Record<string, unknown>
}

/** With all arguments and with those that are required, and with each choice of each enumeration. */
function casesOf(dialect: Dialect): Case[] {
  return dialect.tools.flatMap(({ name: tool, schema }) => {
    const input = schema().input as Schema
    const paths = denied.flatMap((path, at) => [path, spellings(path)[2 + at] ?? path, path.split('/')[0] ?? path, '.'])
    return [...new Set(paths)].flatMap((path) => {
      const few = argumentsFor(input, path, false)
      const choices = Object.entries(input.properties ?? {}).flatMap(([name, { enum: values = [] }]) =>
        values.map((value) => ({ ...few, [name]: value })),
      )
      const texts = ['pattern', 'query', 'glob', 'revision', 'id', 'point'].filter(
        (name) => name in (input.properties ?? {}),
      )
      const searches = texts.flatMap((name) =>
        ['KEY', '**/*', `HEAD:${path}`].map((text) => ({ ...few, [name]: text })),
      )
      return [few, argumentsFor(input, path, true), ...choices, ...searches].map((args) => ({ dialect, tool, args }))
    })
  })
}

async function answer({ dialect, tool, args }: Case, isRuled: boolean): Promise<string> {
  const workspace: Workspace = openPlace(place, { shell, isRuled })
  try {
    return JSON.stringify(await callTool(workspace, dialect, tool, args), (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    ).replaceAll('\\n', '\n')
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    return error.message
  }
}

/** Handmade: what a schema does not say. */
function ownCases(): Case[] {
  const { polyfs } = dialects
  const calls: [string, Record<string, unknown>][] = denied.flatMap((path): [string, Record<string, unknown>][] => [
    ['read_file', { path }],
    ['read_file', { paths: [path, 'readme.md'] }],
    ['grep', { pattern: 'KEY' }],
    ['grep', { pattern: 'KEY', path }],
    ['grep', { pattern: 'Zq7', output: 'count' }],
    ['copy', { from: path, to: 'copy' }],
    ['move', { from: path, to: 'moved' }],
    ['edit_file', { path, old_string: 'NOT THERE', new_string: 'x' }],
    ['edit_file', { path, edits: [{ old_string: 'KEYS=', new_string: 'x' }] }],
    ['apply_patch', { patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-KEY=wrong\n+x\n` }],
    ['history', { action: 'list' }],
    ['history', { action: 'diff' }],
    ['history', { action: 'show', path }],
    ['history', { action: 'undo' }],
    ['git', { command: 'diff' }],
    ['git', { command: 'show', revision: 'HEAD', path }],
    ['git', { command: 'log', path }],
    ['git', { command: 'diff', from: 'HEAD', to: 'stash' }],
    ['git', { command: 'status' }],
    ['archive', { action: 'create', paths: ['.'], path: 'all.zip' }],
    ['file_info', { path }],
  ])
  return calls.map(([tool, args]) => ({ dialect: polyfs, tool, args }))
}

const cases = [...ownCases(), ...Object.values(dialects).flatMap(casesOf)]

test('nothing of a denied file is in an answer', async () => {
  const leaks: string[] = []
  let real = 0
  const tried = sample(cases, { every: 20 })
  for (const each of tried) {
    const name = `${each.dialect.name} ${each.tool} ${JSON.stringify(each.args)}`
    const shown = secretsIn(await answer(each, true))
    if (shown.length > 0) leaks.push(`${name}: ${shown}`)
    if (secretsIn(await answer(each, false)).length > 0) real += 1
  }
  expect(leaks).toEqual([])
  if (isFull) expect(real).toBeGreaterThan(50)
}, 600_000)

test('a search, a list and a tree say nothing of what is denied, not even a number', async () => {
  const workspace = openPlace(place, { shell, isRuled: true })
  const bare = openPlace(place, { shell, isRuled: false })
  for (const path of ['/w/.env', '/w/config/prod.env', '/w/private/keys/notes.txt', '/w/private/keys', '/w/private']) {
    await bare.fs.remove(path)
  }
  const asked: [string, Record<string, unknown>][] = [
    ['list_dir', { path: '.' }],
    ['list_dir', { path: '.', depth: 5 }],
    ['list_dir', { path: 'config' }],
    ['glob', { pattern: '**' }],
    ['grep', { pattern: 'KEY' }],
    ['grep', { pattern: '.', output: 'count' }],
    ['grep', { pattern: '.', output: 'tally' }],
    ['file_info', { path: 'config' }],
  ]
  for (const [tool, args] of asked) {
    const one = async (place: Workspace) => {
      const { content } = await callTool(place, dialects.polyfs, tool, args)
      return JSON.stringify(content).replaceAll(/\d+ (?:seconds?|minutes?) ago|\d{4}-\d\d-\d\d[^"\\]*/g, '')
    }
    expect(await one(workspace)).toBe(await one(bare))
  }
})

test('an answer is the same whether a denied file exists or not', async () => {
  const workspace = openPlace(place, { shell, isRuled: true })
  for (const dialect of Object.values(dialects)) {
    const readers = casesOf(dialect).filter(({ tool }) => /search|grep|glob|list|read|info/.test(tool))
    const about = readers.filter(({ args }) => JSON.stringify(args).includes('"private'))
    for (const each of sample(about, { every: 5 })) {
      const there = await answerIn(workspace, each)
      const missing = JSON.parse(JSON.stringify(each.args).replaceAll('private', '.envmissing'))
      const [one, other] = [there, await answerIn(workspace, { ...each, args: missing })]
      const same = (text: string) =>
        text.replaceAll('private', '.envmissing').replaceAll(/\(\.env\*\)|\(\.envmissing\)/g, '()')
      expect(same(one)).toBe(same(other))
    }
  }
})

async function answerIn(workspace: Workspace, { dialect, tool, args }: Case): Promise<string> {
  try {
    return JSON.stringify(await callTool(workspace, dialect, tool, args))
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    return error.message
  }
}
