import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialectNames, isDialectName } from '../../src/dialects/registry.js'
import { memory } from '../../src/fs/backends/memory.js'
import { fetchHttp } from '../../src/git/fetch-http.js'
import type { Shell } from '../../src/shell/types.js'
import { callTool, describeTool, offeredTools } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { selectTools } from '../../src/tools/select.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { dialects } from './all.js'

const page = readFileSync(new URL('../../docs/dialects.md', import.meta.url), 'utf8')
const counts = {
  polyfs: 17,
  clarvis: 9,
  'file-editor': 7,
  fs: 3,
  'fs-context': 8,
  replay: 16,
  anthropic: 3,
  openai: 2,
  gemini: 6,
}

test('there are nine dialects with all their tools', () => {
  const found = Object.fromEntries(Object.values(dialects).map(({ name, tools }) => [name, tools.length]))
  expect(found).toEqual(counts)
})

test('our own tools are few, and listed in few bytes', () => {
  const { tools } = dialects.polyfs
  expect(tools.length).toBeLessThanOrEqual(18)
  expect(bytesOf(tools)).toBeLessThanOrEqual(9000)
  expect(bytesOf(tools.filter(({ needs }) => needs !== 'shell'))).toBeLessThanOrEqual(11_000)
})

test('what a command does as well is not listed beside a shell, unless it is asked for, and is callable all the same', async () => {
  const { polyfs } = dialects
  const workspace = createWorkspace({ fs: memory(), shell: { engine: 'a shell' } as Shell })
  const unlisted = (dialect: Dialect, own = workspace) => {
    const names = offeredTools(dialect, own).map(({ name }) => name)
    return ['copy', 'make_dir', 'archive', 'git'].filter((name) => !names.includes(name))
  }
  expect(unlisted(polyfs)).toEqual(['copy', 'make_dir', 'archive', 'git'])
  expect(unlisted(polyfs, createWorkspace({ fs: memory() }))).toEqual([])
  const git = { http: fetchHttp() }
  const online = createWorkspace({ fs: memory(), shell: { engine: 'a shell' } as Shell, git })
  expect(unlisted(polyfs, online)).toEqual(['copy', 'make_dir', 'archive'])
  expect(unlisted(selectTools(polyfs, '-bash'))).toEqual([])
  expect(unlisted(selectTools(polyfs, '+git'))).toEqual(['copy', 'make_dir', 'archive'])
  expect(unlisted(withStructuredResults(selectTools(polyfs, 'read,edit,bash')))).toEqual(['archive', 'git'])
  expect((await callTool(workspace, polyfs, 'make_dir', { path: 'd' })).isError).toBeUndefined()
  expect((await workspace.fs.stat('/d')).kind).toBe('directory')
})

test('output schemas for structured results add only a few bytes', () => {
  const { tools } = withStructuredResults(dialects.polyfs)
  console.log(`polyfs --structured: ${bytesOf(tools)} bytes for ${tools.length} tools`)
  expect(bytesOf(tools)).toBeLessThanOrEqual(12 * 1024)
})

describe.each(Object.values(dialects))('$name', (dialect) => {
  test('is listed in fewer bytes a tool than the incumbent takes', () => {
    const bytes = bytesOf(dialect.tools)
    console.log(`${dialect.name}: ${bytes} bytes for ${dialect.tools.length} tools`)
    expect(bytes / dialect.tools.length).toBeLessThan(930)
  })

  test('every tool has a title, annotations and described parameters or none', () => {
    for (const { name, title, description, annotations } of dialect.tools) {
      expect({ name, title, description }).toEqual({
        name: expect.stringMatching(/^[a-z][a-z_.]*$/),
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
      })
      const { readOnlyHint, destructiveHint } = annotations
      expect(readOnlyHint ?? destructiveHint).toBeTypeOf('boolean')
    }
  })

  test('docs/dialects.md lists its tools as they are', () => {
    expect(page).toContain(toolTable(dialect.tools))
  })
})

/** With the longest name that a shell may have. */
function bytesOf(tools: Dialect['tools']): number {
  const engine = 'the shell of this computer (/bin/bash) in a bubblewrap sandbox without network'
  const workspace = createWorkspace({ fs: memory(), shell: { engine } as Shell })
  const offered = offeredTools({ ...dialects.polyfs, tools }, workspace)
  return new TextEncoder().encode(JSON.stringify({ tools: offered.map(describeTool) })).length
}

/** The table the page must have; copy it from a failing test. */
function toolTable(tools: Dialect['tools']): string {
  const rows = tools.map(({ name, schema, annotations }) => {
    const { properties = {}, required = [] } = schema().input as { properties?: object; required?: string[] }
    const parameters = Object.keys(properties).map((key) => (required.includes(key) ? `**${key}**` : key))
    return `| \`${name}\` | ${parameters.join(', ')} | ${annotations.readOnlyHint ? '' : 'yes'} |`
  })
  return ['| tool | parameters (**required**) | changes |', '|---|---|---|', ...rows].join('\n')
}

test('the registry names each dialect as it names itself', () => {
  expect(Object.values(dialects).map(({ name }) => name)).toEqual(dialectNames)
  expect(['no-such', 'constructor', '__proto__'].filter(isDialectName)).toEqual([])
})
