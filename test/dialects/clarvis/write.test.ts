import { describe, expect, test } from 'vitest'
import { stage } from './stage.js'

describe('write_file', () => {
  test('creates, and says how many bytes', async () => {
    const { call, files } = await stage({})
    expect(await call('write_file', { path: 'n.txt', content: 'héllo\n' })).toEqual({
      text: 'Wrote 7 bytes to n.txt (created).',
    })
    expect(await files()).toEqual({ 'n.txt': 'héllo\n' })
  })

  test('overwrites, and says so', async () => {
    const { call, files } = await stage({ 'd/n.txt': 'old' })
    expect(await call('write_file', { path: 'd/n.txt', content: '' })).toEqual({
      text: 'Wrote 0 bytes to d/n.txt (overwritten).',
    })
    expect(await call('write_file', { path: '/w/d/n.txt', content: 'a\r\nb\nc' })).toEqual({
      text: 'Wrote 6 bytes to d/n.txt (overwritten).',
    })
    expect(await files()).toEqual({ 'd/': '', 'd/n.txt': 'a\r\nb\nc' })
  })

  test.each([
    ['no/such/n.txt', { error: 'not_found', message: 'No such file: no/such/n.txt', path: 'no/such/n.txt' }],
    ['d', { error: 'not_a_file', message: 'Path is a directory: d', path: 'd' }],
    ['f/n.txt', { error: 'not_a_file', message: 'Not a directory: f/n.txt', path: 'f/n.txt' }],
    ['to', { error: 'invalid_input', message: 'Refusing to write through a symlink: to', path: 'to' }],
    ['.', { error: 'not_a_file', message: 'Path is a directory: .', path: '.' }],
    [
      '../outside/secret.txt',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: ../outside/secret.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '../outside/secret.txt',
      },
    ],
    [
      '/outside/new.txt',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: /outside/new.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '/outside/new.txt',
      },
    ],
    [
      'away/new.txt',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: away/new.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: 'away/new.txt',
      },
    ],
    [
      'out',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: out (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: 'out',
      },
    ],
    ['nowhere', { error: 'invalid_input', message: 'Refusing to write through a symlink: nowhere', path: 'nowhere' }],
    ['.git/config', { error: 'io_error', message: 'EACCES: protected from writing: .git/config', path: '.git/config' }],
    ['', { error: 'invalid_input', message: 'Invalid path (empty): ' }],
  ])('to %j is refused, and nothing is written', async (path, error) => {
    const { call, files } = await stage(
      { 'd/': '', f: 'F', '.git/config': '' },
      { links: { to: 'f', away: '/outside', out: '/outside/secret.txt', nowhere: 'none' } },
    )
    const before = await files()
    expect(await call('write_file', { path, content: 'x' })).toEqual({ error })
    expect(await files()).toEqual(before)
  })

  test('input that does not fit', async () => {
    const { call } = await stage({})
    expect(await call('write_file', { path: 'a' })).toEqual({
      error: { error: 'invalid_input', message: "data must have required property 'content'" },
    })
    expect(await call('write_file', { path: 'a', content: 'x', mode: 7 })).toEqual({
      error: { error: 'invalid_input', message: "data must NOT have additional properties ('mode')" },
    })
    expect(await call('write_file', { path: 'a', content: 'half \ud83d' })).toEqual({
      error: { error: 'invalid_input', message: 'Invalid edit (malformed-text): a', path: 'a' },
    })
  })

  test('where nothing may be changed the tool is unknown', async () => {
    const { call } = await stage({}, { readOnly: true })
    for (const tool of ['write_file', 'edit_file', 'multi_edit', 'apply_patch']) {
      expect(await call(tool, {})).toEqual({ error: { error: 'not_found', message: `Unknown tool: ${tool}` } })
    }
  })
})
