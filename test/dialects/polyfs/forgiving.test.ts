/** What is forgiven, and what is not; `mistakes.test.ts` tries every parameter. */
import { describe, expect, test } from 'vitest'
import { understand } from '../../../src/dialects/polyfs/forgive/arguments.js'
import { estimateTokens } from '../../../src/dialects/polyfs/paging/token-budget.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { sample } from '../../scale.js'

function open(files: Record<string, string> = {}) {
  const fs = memory({
    '/home/app/src/a.ts': 'one\ntwo\nthree\n',
    '/home/app/b.txt': 'b\n',
    '/home/lib/c.txt': 'c\n',
    '/etc/passwd': 'secret\n',
    ...files,
  })
  const workspace = createWorkspace({
    fs,
    roots: [
      { path: '/home/app', access: 'read-write' },
      { path: '/home/lib', access: 'read-only' },
    ],
  })
  return { fs, ...tools(workspace) }
}

describe('calls as other servers take them', () => {
  test.each<[string, object, string]>([
    ['read_file', { file_path: '/home/app/b.txt' }, '1\tb\n[1 line, hash 0263829989b6fd95]\n[read file_path as path]'],
    ['read_file', { path: 'src/a.ts', tail: 1 }, '[read tail as offset: -1]'],
    ['read_file', { path: 'src/a.ts', head: 1 }, '[read head as limit]'],
    ['read_file', { path: ['b.txt', 'src/a.ts'] }, '[read path as paths]'],
    ['read_file', { path: 'src/a.ts', start_line: 2, end_line: 2 }, '2\ttwo\n['],
    ['read_file', { path: 'src/a.ts', view_range: [2, 3] }, '2\ttwo\n3\tthree\n['],
    ['read_file', { files: ['app/b.txt', 'lib/c.txt'] }, 'app/b.txt read as b.txt; lib/c.txt read as /home/lib/c.txt]'],
    [
      'edit_file',
      { path: 'b.txt', edits: [{ oldText: 'b', newText: 'B' }], dryRun: true },
      'would edit b.txt: 1 place',
    ],
    ['edit_file', { file_path: 'b.txt', old_str: 'b', new_str: 'B' }, 'edited b.txt: 1 place'],
    ['grep', { pattern: 'TWO', '-i': true, output_mode: 'files_with_matches', head_limit: 5 }, 'src/a.ts\n'],
    ['grep', { query: 'TWO', case_sensitive: false }, '2: two'],
    ['grep', { pattern: 't.o', regex: false }, '(no matches)'],
    ['grep', { regex: 't.o', includePattern: '*.ts' }, '2: two'],
    ['glob', { path: '.', pattern: '*.ts', excludePatterns: null }, ''],
    ['write_file', { path: 'n.txt', file_text: 'n' }, 'created n.txt'],
    ['write_file', { path: 'b.txt', content: 'n', overwrite: false }, 'exists: b.txt exists already'],
    ['move', { from: 'b.txt', to: 'd.txt' }, 'moved b.txt to d.txt'],
    [
      'list_dir',
      { relative_workspace_path: '.', explanation: 'to see' },
      '[read relative_workspace_path as path; explanation as a remark]',
    ],
  ])('%s %j', async (tool, args, expected) => {
    expect(await open().callText(tool, args)).toContain(expected)
  })

  test('pairs may be objects or a single pair, and their sources are mended', async () => {
    const moved = await open().callText('move', { pairs: [{ from: 'app/b.txt', to: 'x.txt' }] })
    expect(moved).toMatch(
      /^moved b\.txt to x\.txt\n\[change 1-\w{8}\]\n\[read items of pairs as lists; from as source; to as destination; app\/b\.txt read as b\.txt\]$/,
    )
    expect(await open().callText('copy', { pairs: ['b.txt', 'y.txt'] })).toContain('[read pairs as a list of one]')
    expect(await open().callText('copy', { pairs: [{ from: 'b.txt', to: 'x', colour: 1 }] })).toMatch(
      /^invalid_input: /,
    )
  })

  test('a list as text has the bounds of a message', async () => {
    const edit = '{"old_string": "b", "new_string": "B"}'
    const read = (edits: string) => open().callText('edit_file', { path: 'b.txt', edits })
    expect(await read(`[${edit}]`)).toContain('[read edits from JSON text]')
    const refused =
      'invalid_input: Invalid arguments: edits must be an array, as in [{"old_string": "a", "new_string": "b"}]. Correct them and call again.'
    expect(await read(`[${'{},'.repeat(50_000)}${edit}]`)).toBe(refused)
    expect(await read(`[${'['.repeat(64)}${']'.repeat(64)},${edit}]`)).toBe(refused)
  })

  test('a first and a last line are a range, where ranges can be read', () => {
    const range = { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 }
    const schema = {
      type: 'object',
      properties: { path: { type: 'string' }, offset: { type: 'integer' }, ranges: { type: 'array', items: range } },
    }
    const read = (args: object) => understand('read_file', schema, args).args
    expect(read({ path: 'a', start_line: 2, endLine: '5' })).toEqual({ path: 'a', ranges: [[2, 5]] })
    expect(read({ path: 'a', end_line: 5 })).toEqual({ path: 'a', ranges: [[1, 5]] })
    expect(read({ path: 'a', view_range: [3, 4] })).toEqual({ path: 'a', ranges: [[3, 4]] })
    expect(read({ path: 'a', ranges: '[[1,2],[5]]' })).toEqual({ path: 'a', ranges: [[1, 2], [5]] })
    expect(read({ path: 'a', start_line: 2 })).toEqual({ path: 'a', offset: 2 })
    expect(read({ path: 'a', ranges: [1, 2, 3] })).toEqual({ path: 'a', ranges: [1, 2, 3] })
    expect(read({ path: 'a', ranges: 5 })).toEqual({ path: 'a', ranges: 5 })
  })

  test('a parameter by two names with the same value is one, with different values none', async () => {
    const { callText } = open()
    expect(await callText('read_file', { path: 'b.txt', file_path: 'b.txt' })).toContain('1\tb')
    const refused = await callText('read_file', { file_path: 'src/a.ts', path: 'b.txt' })
    expect(refused).toBe(
      'invalid_input: Invalid arguments: path: file_path is given too, and means the same with another value; leave one of them out. Correct them and call again.',
    )
    expect(await callText('edit_file', { path: 'b.txt', old_str: 'b', oldText: 'c', new_str: 'd' })).toContain(
      'old_str: oldText is given too',
    )
  })

  test('the note is in the facts, and in the structured content of tools that have one', async () => {
    const { call } = open()
    const { structuredContent, facts } = await call('file_info', { file: 'b.txt' })
    expect([structuredContent?.note, facts?.note]).toEqual(['read file as path', 'read file as path'])
    expect((await call('file_info', { path: 'b.txt' })).structuredContent).not.toHaveProperty('note')
  })

  test('a failure says what was assumed', async () => {
    const { callText } = open()
    expect(await callText('read_file', { filename: 'x.txt' })).toMatch(/^not_found: .*\n\[read filename as path\]$/s)
  })

  test('a page and its cursor are those of the right call', async () => {
    const { call } = open({ '/home/app/long.txt': 'line\n'.repeat(3000) })
    const first = await call('read_file', { file_path: 'app/long.txt', maxTokens: '500' })
    expect(estimateTokens(first)).toBeLessThanOrEqual(500)
    const { cursor } = first.facts as { cursor: string }
    const next = await call('read_file', { path: 'long.txt', max_tokens: 500, cursor })
    expect(next.facts).toMatchObject({ first_line: (first.facts?.last_line as number) + 1 })
  })
})

describe('what is not forgiven', () => {
  test.each<[string, object, string]>([
    [
      'read_file',
      { path: 'b.txt', colour: 1 },
      'colour is not known. Correct them and call again.\nParameters of read_file: path,',
    ],
    ['bash', { command: 'true', timeout: 5 }, ''],
    ['read_file', { path: 'b.txt', limitt: 1 }, 'Did you mean limit? '],
    ['list_dir', { recursive: true }, 'recursive is not known'],
    ['edit_file', { path: 'b.txt', edits: [{ old_string: 'b', colour: 1 }] }, 'edits.0.colour is not known'],
    ['read_file', { path: 'b.txt', limit: 'ten' }, 'limit must be a'],
    ['read_file', { path: 'b.txt', limit: '1e3' }, 'limit must be a'],
    ['read_file', { path: 'b.txt', limit: '0' }, 'limit must be at least 1'],
    ['read_file', { path: 'b.txt', limit: '2.5' }, 'limit must be a'],
    ['read_file', { path: 'b.txt', limit: true }, 'limit must be a'],
    ['grep', { pattern: 'a', literal: 'yes' }, 'literal must be a boolean'],
    ['grep', { pattern: 'a', literal: 1 }, 'literal must be a boolean'],
    ['grep', { pattern: { a: 1 } }, 'pattern must be a string'],
    ['grep', { pattern: null }, 'pattern must be a string'],
    ['edit_file', { path: 'b.txt', edits: '[{"old_string":"b"' }, 'edits must be an array'],
    ['edit_file', { path: 'b.txt', edits: 'b' }, 'edits must be an array'],
    ['write_file', { path: 'n.json', content: { a: 1 } }, 'content must be a string'],
    ['git', { action: 'statuss' }, 'action must be one of'],
    ['read_file', JSON.parse('{"path":"b.txt","__proto__":{"limit":1}}'), '__proto__ is not known'],
    ['read_file', JSON.parse('{"path":"b.txt","constructor":{"limit":1}}'), 'constructor is not known'],
    [
      'edit_file',
      JSON.parse('{"path":"b.txt","edits":[{"old_string":"b","__proto__":{"new_string":"x"}}]}'),
      '__proto__ is not known',
    ],
    [
      'edit_file',
      { path: 'b.txt', edits: '[{"old_string":"b","__proto__":{"new_string":"x"}}]' },
      '__proto__ is not known',
    ],
  ])('%s %j', async (tool, args, expected) => {
    const { call } = open()
    const { isError, content } = await call(tool, args)
    expect(isError).toBe(true)
    expect(content.map(({ text }) => text).join('\n')).toContain(expected)
  })
})

describe('a path', () => {
  const read = async (path: string, files?: Record<string, string>) => open(files).callText('read_file', { path })

  test.each([
    ['app/src/a.ts', 'src/a.ts'],
    ['./app//src/a.ts', 'src/a.ts'],
    ['"src/a.ts"', 'src/a.ts'],
    [' `app/src/a.ts` ', 'src/a.ts'],
    ['file:///home/app/src/a.ts', 'src/a.ts'],
    ['file://localhost/home/app/src/%61.ts', 'src/a.ts'],
    ['lib/c.txt', '/home/lib/c.txt'],
  ])('%j is found', async (path, meant) => {
    const found = await read(path)
    expect(found).toMatch(/^1\t/)
    expect(found).toContain(`read as ${meant}]`)
  })

  test('at which something is, is taken as it is', async () => {
    expect(await read('"b.txt"', { '/home/app/"b.txt"': 'quoted\n' })).toMatch(/^1\tquoted\n\[1 line, hash \w+\]$/)
    expect(await read('app/src/a.ts', { '/home/app/app/src/a.ts': 'inner\n' })).toMatch(/^1\tinner/)
  })

  test('below a directory with the name of the root means that directory', async () => {
    expect(await read('app/src/a.ts', { '/home/app/app/other.ts': '' })).toMatch(/^not_found: /)
  })

  test.each([
    ['file:///etc/passwd'],
    ['"/etc/passwd"'],
    [' ../../etc/passwd '],
    ['app/../../etc/passwd'],
    ['app/../../../etc/passwd'],
    ['`app/../../etc/passwd`'],
    ['file:///home/app/../../etc/passwd'],
    ['file:///home/app/%2e%2e/%2e%2e/etc/passwd'],
    ['file:///home/app/%'],
    ['"'],
    ['""'],
    [' '],
  ])('%j leads nowhere', async (path) => {
    const { call } = open()
    const { isError, content } = await call('read_file', { path })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).not.toContain('secret')
    expect(JSON.stringify(content)).not.toMatch(/internal|read as/)
  })

  test('of any length is refused without delay', async () => {
    for (const path of ['`'.repeat(100_000), `"${' '.repeat(100_000)}"`, 'app/'.repeat(100_000)]) {
      expect(await open().callText('read_file', { path })).toMatch(/^invalid_path: /)
    }
  })

  test('through a link out of the root stays outside', async () => {
    const { fs, callText } = open()
    await fs.symlink?.('/etc/passwd', '/home/app/out')
    for (const path of ['out', '"out"', 'app/out', 'file:///home/app/out']) {
      expect(await callText('read_file', { path })).not.toContain('secret')
    }
  })

  test('is never guessed where something is created or deleted', async () => {
    const { callText } = open()
    expect(await callText('delete', { path: 'app/b.txt' })).toBe(
      'not_found: app/b.txt does not exist. Look for it with glob or list_dir.\nDid you mean b.txt?',
    )
    expect(await callText('write_file', { path: '`b.txt`', content: 'x' })).toMatch(/^created `b\.txt` /)
    expect(await callText('copy', { source: '"b.txt"', destination: '"c.txt"' })).toMatch(/^copied b\.txt to "c\.txt" /)
    expect(await callText('make_dir', { path: 'app/src' })).toMatch(/^made app\/src\n\[change /)
    expect(await callText('read_file', { path: 'b.txt' })).toContain('1\tb')
  })

  test('can be mended for an edit', async () => {
    const { callText } = open()
    expect(await callText('edit_file', { path: 'app/b.txt', old_string: 'b', new_string: 'x' })).toMatch(
      /^edited b\.txt: .*\n\[hash \w+\]\n\[change 1-\w{8}\]\n\[app\/b\.txt read as b\.txt\]$/s,
    )
    expect(await callText('move', { source: 'app/b.txt', destination: 'moved.txt' })).toMatch(
      /^moved b\.txt to moved\.txt/,
    )
  })
})

test('no value of any parameter makes a fault', async () => {
  const { call } = open()
  const values = [
    null,
    '',
    ' ',
    'a',
    '[',
    '[]',
    '[1]',
    '{}',
    '{"a":1}',
    '"',
    '0',
    '-1',
    1e21,
    -0.5,
    true,
    [],
    [[]],
    [[['a']]],
    [null],
  ]
  const objects = [
    {},
    { path: 1 },
    { __proto__: null },
    { toString: 1 },
    JSON.parse('{"__proto__":1}'),
    'x'.repeat(50_000),
  ]
  for (const { name, schema, needs } of polyfs.tools) {
    if (needs === 'shell') continue
    const { properties = {}, required = [] } = schema().input as { properties?: object; required?: string[] }
    const right = Object.fromEntries(required.map((key) => [key, key === 'action' ? 'list' : 'b.txt']))
    for (const key of [...Object.keys(properties), 'toString', 'valueOf', 'hasOwnProperty', 'file_path', 'edit']) {
      for (const value of sample([...values, ...objects, [{}], ...objects.map((one) => [one])], { every: 3 })) {
        const { content } = await call(name, { ...right, [key]: value })
        expect(`${name} ${key} ${JSON.stringify(content)}`).not.toContain('internal:')
      }
    }
  }
}, 120_000)
