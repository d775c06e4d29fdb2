import { describe, expect, test } from 'vitest'
import { conventionOf } from '../../../node/cli/conventions.js'

const of = (dialect: string, flags = {}, env = {}, given = 0) => conventionOf(dialect, flags, { given, env })
const here = { directory: '.', access: 'read-write' }

describe('clarvis', () => {
  test('takes its workspace from a flag, or else from a variable, unless directories are named by our own flags', () => {
    expect(of('clarvis', { workspace: '/a' }, { WORKSPACE_ROOT: '/b' }).directories).toEqual([
      { directory: '/a', access: 'read-write' },
    ])
    expect(of('clarvis', {}, { WORKSPACE_ROOT: '/b' }).directories).toEqual([{ directory: '/b', access: 'read-write' }])
    expect(of('clarvis', {}, { WORKSPACE_ROOT: '/b' }, 1).directories).toEqual([])
  })

  test('serves the whole machine only when a flag or variable says so', () => {
    const outside = { directory: '/', access: 'read-write' }
    expect(of('clarvis', { 'allow-outside-workspace': true }).directories).toEqual([outside])
    expect(of('clarvis', {}, { ALLOW_OUTSIDE_WORKSPACE: 'yes' }).directories).toEqual([outside])
    expect(of('clarvis', {}, { ALLOW_OUTSIDE_WORKSPACE: '' }).directories).toEqual([])
  })

  test('takes limits and read-only from variables', () => {
    const env = { READ_ONLY: ' On ', MAX_OUTPUT_BYTES: '2048', MAX_FILE_BYTES: '1024', BASH_TIMEOUT_MS: '5' }
    expect(of('clarvis', {}, env)).toEqual({
      directories: [],
      readOnly: true,
      shellProgram: 'sh',
      limits: { maxOutputBytes: 2048, maxFileBytes: 1024, commandTimeoutMs: 5 },
    })
  })

  test.each([
    [{ READ_ONLY: 'maybe' }, 'READ_ONLY must be one of 1/true/yes/on or 0/false/no/off, got: maybe'],
    [{ MAX_FILE_BYTES: '-1' }, 'MAX_FILE_BYTES must be a positive integer, got: -1'],
    [{ MAX_OUTPUT_BYTES: '12' }, 'MAX_OUTPUT_BYTES must be an integer >= 1024, got: 12'],
    [{ BASH_TIMEOUT_MAX_MS: '10' }, 'BASH_TIMEOUT_MAX_MS (10) must be >= BASH_TIMEOUT_MS (120000).'],
  ])('%j is rejected', (env, message) => {
    expect(() => of('clarvis', {}, env)).toThrow(message)
  })
})

describe('fs-context', () => {
  test('takes defaults from variables, and warns of invalid ones', async () => {
    const env = { MAX_FILE_SIZE: '2097152', DEFAULT_DEPTH: '3', DEFAULT_RESULTS: '9', DEFAULT_SEARCH_TIMEOUT: 'soon' }
    const { dialect, warnings, limits } = of('fs-context', {}, env)
    const parameters = Object.fromEntries(
      ((await dialect?.())?.tools ?? []).map(({ name, schema }) => [
        name,
        schema().input.properties as Record<string, { default?: unknown }>,
      ]),
    )
    expect(parameters.list_directory?.maxDepth?.default).toBe(3)
    expect(parameters.search_files?.maxDepth?.default).toBe(3)
    expect(parameters.search_files?.maxResults?.default).toBe(100)
    expect(parameters.search_content?.timeoutMs?.default).toBe(30_000)
    expect(parameters.read_file?.maxSize?.default).toBe(2_097_152)
    expect(limits).toEqual({ maxFileBytes: 2_097_152 })
    expect(warnings).toEqual([
      '[WARNING] Invalid DEFAULT_RESULTS value: 9 (must be 10-10000). Using the default.',
      '[WARNING] Invalid DEFAULT_SEARCH_TIMEOUT value: soon (must be 100-3600000). Using the default.',
    ])
  })
})

test('fs serves the current directory unless one is named, fs-context only with --allow-cwd', () => {
  expect(of('fs').directories).toEqual([here])
  expect(of('fs', {}, {}, 1).directories).toEqual([])
  expect(of('fs-context').directories).toEqual([])
  expect(of('fs-context', { 'allow-cwd': true }).directories).toEqual([here])
})

test('commands run in sh where the original does so', () => {
  const programs = ['clarvis', 'replay', 'polyfs'].map((dialect) => of(dialect).shellProgram)
  expect(programs).toEqual(['sh', '/bin/sh', undefined])
})

test('a flag of another dialect is rejected, not ignored', () => {
  expect(() => of('replay', { workspace: '/a' })).toThrow('--workspace is an option of the dialect clarvis')
  expect(() => of('clarvis', { 'allow-cwd': true })).toThrow('--allow-cwd is an option of the dialect fs-context')
})

test.each(['file-editor', 'replay'])('%s holds files of 64 MiB, as the original has no limit', (dialect) => {
  expect(of(dialect).limits).toEqual({ maxFileBytes: 64 * 1024 * 1024 })
})
