import { expect, test } from 'vitest'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { aiSdkTools, anthropicTools, openAiTools, tools } from '../../src/dialects/tool-definitions.js'
import { memory } from '../../src/fs/backends/memory.js'
import { groupOf, selectTools } from '../../src/tools/select.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { dialects } from '../dialects/all.js'

const open = () => createWorkspace({ fs: memory({ 'a.txt': 'one\n' }) })

test('a set of tools has definitions and calls them', async () => {
  const set = tools(open(), { tools: 'read_file,edit_file' })
  expect(set.definitions.map(({ name }) => name)).toEqual(['read_file', 'edit_file'])
  expect(await set.callText('read_file', { path: 'a.txt' })).toBe('1\tone\n[1 line, hash 2c8b08da5ce60398]')
  expect((await set.call('read_file', { path: 'a.txt' })).facts).toEqual({
    path: 'a.txt',
    hash: '2c8b08da5ce60398',
    first_line: 1,
    last_line: 1,
    total_lines: 1,
  })
  expect(await set.callText('delete', { path: 'a.txt' })).toContain('There is no tool "delete" here.')
})

test('every dialect can be used so, and what it remembers lives in the set', async () => {
  const set = tools(open(), { dialect: dialects['file-editor'] })
  await set.call('set_workspace', { path: '/' })
  expect(await set.callText('read_files', { path: 'a.txt' })).toBe('1 | one\n2 | ')
})

test('definitions as the APIs of models take them', async () => {
  const set = tools(open(), { tools: 'make_dir' })
  const [{ name, description, parameters }] = set.definitions as [(typeof set.definitions)[0]]
  expect(openAiTools(set)).toEqual([{ type: 'function', function: { name, description, parameters } }])
  expect(anthropicTools(set)).toEqual([{ name, description, input_schema: parameters }])
  const sdk = aiSdkTools(set, { jsonSchema: (schema) => ({ schema }) })
  expect(sdk).toEqual({ make_dir: { description, inputSchema: { schema: parameters }, execute: expect.any(Function) } })
  expect(await sdk.make_dir?.execute({ path: 'd' })).toMatch(/^made d\n\[change 1-\w{8}\]$/)
  const aborted = await sdk.make_dir?.execute({ path: {} }, { abortSignal: AbortSignal.abort() })
  expect(aborted).toContain('path must be a string')
})

test('the list of tools that an endpoint gives is taken too', async () => {
  const set = tools(open(), { tools: 'make_dir' })
  const listed = await set.listTools()
  expect(openAiTools(listed)).toEqual(openAiTools(set))
  expect(anthropicTools(listed)).toEqual(anthropicTools(set))
  const jsonSchema = (schema: object) => ({ schema })
  const sdk = aiSdkTools(listed, { jsonSchema, callTool: set.callTool })
  expect(Object.keys(sdk)).toEqual(['make_dir'])
  expect(await sdk.make_dir?.execute({ path: 'd' })).toMatch(/^made d\n\[change 1-\w{8}\]$/)
  expect(openAiTools([{ name: 'plain', inputSchema: { type: 'object' } }])).toEqual([
    { type: 'function', function: { name: 'plain', description: '', parameters: { type: 'object' } } },
  ])
  // @ts-expect-error: a list alone can't be called
  expect(() => aiSdkTools(listed, { jsonSchema })).toThrow('needs `callTool`')
})

const names = (spec: string) => selectTools(polyfs, spec).tools.map(({ name }) => name)

test('tools are chosen by group and by name, and left out with a minus', () => {
  expect(names('search')).toEqual(['glob', 'grep'])
  expect(names('read, -workspace')).toEqual(['read_file', 'list_dir', 'file_info'])
  expect(names('grep,read_file')).toEqual(['read_file', 'grep'])
  expect(names('-bash,-git,-archive,-history,-edit')).toEqual(names('read,search'))
  expect(names('')).toEqual(polyfs.tools.map(({ name }) => name))
  expect(selectTools(dialects.clarvis, 'read').tools.map(({ name }) => name)).toEqual([
    'read_file',
    'list_dir',
    'glob',
    'grep',
  ])
  expect(() => names('reed')).toThrow("polyfs has no tool or group 'reed'; there is read, search, edit,")
})

test('every tool of ours is in a group', () => {
  const groups = new Map(polyfs.tools.map((tool) => [tool.name, groupOf(tool)]))
  expect(Object.fromEntries(groups)).toEqual({
    read_file: 'read',
    list_dir: 'read',
    glob: 'search',
    grep: 'search',
    file_info: 'read',
    write_file: 'edit',
    edit_file: 'edit',
    apply_patch: 'edit',
    move: 'edit',
    copy: 'edit',
    delete: 'edit',
    make_dir: 'edit',
    bash: 'shell',
    history: 'history',
    git: 'git',
    archive: 'archive',
    workspace: 'read',
  })
})

test('with structured results every tool has an output schema, and no payload is sent twice', async () => {
  const dialect = withStructuredResults(polyfs)
  expect(dialect.tools.filter(({ schema }) => schema().output === undefined)).toEqual([])
  expect(JSON.stringify(dialect.tools.map(({ schema }) => schema().output))).not.toContain('$ref')
  const { content, structuredContent } = await tools(open(), { dialect }).call('grep', { pattern: 'one' })
  expect({ content, structuredContent }).toEqual({
    content: [
      { type: 'text', text: 'a.txt\n1: one' },
      { type: 'text', text: '[1 match in 1 file; 1 file searched]' },
    ],
    structuredContent: { matches: 1, files: 1, skipped: { binary: 0, too_large: 0 } },
  })
})
