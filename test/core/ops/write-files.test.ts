import { describe, expect, test } from 'vitest'
import { contentHash } from '../../../src/change/content-hash.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { backends } from './stage.js'

const bytes = (text: string) => new TextEncoder().encode(text)

describe.each(backends)('writing files %s', (_name, open) => {
  test('creates a file and replaces one, and reports which', async () => {
    const { change } = await open({ 'old.txt': 'old' })
    const files = [
      { path: 'new.txt', content: 'héllo\n' },
      { path: 'old.txt', content: '' },
    ]
    expect(await change(writeFiles, { files })).toEqual({
      result: [
        { path: '/w/new.txt', created: true, bytes: 7 },
        { path: '/w/old.txt', created: false, bytes: 0 },
      ],
      tree: { 'new.txt': 'héllo\n', 'old.txt': '' },
    })
  })

  test('text is written exactly: CRLF, a lone CR, a byte-order mark, no final newline', async () => {
    const { change } = await open({})
    const content = '\ufeffa\r\nb\rc\nd'
    expect(await change(writeFiles, { files: [{ path: 'a', content }] })).toEqual({
      result: [{ path: '/w/a', created: true, bytes: 11 }],
      tree: { a: content },
    })
    expect((await change(writeFiles, { files: [{ path: 'a', content: '\ufeff' }] })).tree).toEqual({ a: '\ufeff' })
  })

  test('half a character has no bytes, and is refused rather than replaced', async () => {
    const { refusal } = await open({ a: 'A' })
    const files = [
      { path: 'a', content: 'x' },
      { path: 'b', content: 'x\ud800' },
    ]
    expect(await refusal(writeFiles, { files })).toEqual({
      code: 'INVALID_EDIT',
      path: '/w/b',
      edit: 1,
      reason: 'malformed-text',
    })
  })

  test('bytes are written as they are', async () => {
    const content = Uint8Array.from({ length: 256 }, (_, index) => index)
    const { change } = await open({ 'b.bin': new Uint8Array([0xff, 0, 0xfe]) })
    expect(await change(writeFiles, { files: [{ path: 'b.bin', content }] })).toEqual({
      result: [{ path: '/w/b.bin', created: false, bytes: 256, replaced: 'binary' }],
      tree: { 'b.bin': content },
    })
  })

  test('a replaced file preserves its mode', async () => {
    const { change } = await open({ 'run.sh': { text: '1', mode: '755' }, closed: { text: '1', mode: '600' } })
    const files = [
      { path: 'run.sh', content: '2' },
      { path: 'closed', content: '2' },
    ]
    expect((await change(writeFiles, { files })).tree).toEqual({
      'run.sh': { text: '2', mode: '755' },
      closed: { text: '2', mode: '600' },
    })
  })

  test('writing the same content is not a change, and leaves no history', async () => {
    const { change, workspace } = await open({ a: 'A' })
    expect(await change(writeFiles, { files: [{ path: 'a', content: 'A' }] })).toEqual({
      result: [{ path: '/w/a', created: false, bytes: 1 }],
      tree: { a: 'A' },
    })
    expect(await workspace.history.list()).toEqual([])
  })

  test('the same path twice: the last one counts', async () => {
    const { change } = await open({})
    const files = [
      { path: 'a', content: '1' },
      { path: './a', content: '22' },
    ]
    expect(await change(writeFiles, { files })).toEqual({
      result: [
        { path: '/w/a', created: true, bytes: 1 },
        { path: '/w/a', created: false, bytes: 2 },
      ],
      tree: { a: '22' },
    })
  })

  test('directories that are missing are made when asked for', async () => {
    const { change, refusal } = await open({ 'd/': '' })
    const files = [
      { path: 'd/e/f/a', content: 'A' },
      { path: 'd/e/b', content: 'B' },
    ]
    expect(await refusal(writeFiles, { files })).toEqual({ code: 'NOT_FOUND', path: '/w/d/e/f/a' })
    expect((await change(writeFiles, { files, makeParents: true })).tree).toEqual({
      'd/': '',
      'd/e/': '',
      'd/e/b': 'B',
      'd/e/f/': '',
      'd/e/f/a': 'A',
    })
  })

  test('a file can be asked to be new, or to be there', async () => {
    const { change, refusal } = await open({ a: 'A' })
    const write = (path: string, expected: 'new' | 'existing') => ({
      files: [{ path, content: 'x', expect: expected }],
    })
    expect(await refusal(writeFiles, write('a', 'new'))).toEqual({ code: 'EXISTS', path: '/w/a' })
    expect(await refusal(writeFiles, write('b', 'existing'))).toEqual({ code: 'NOT_FOUND', path: '/w/b' })
    expect((await change(writeFiles, write('a', 'existing'))).tree).toEqual({ a: 'x' })
    expect((await change(writeFiles, write('b', 'new'))).tree).toEqual({ a: 'x', b: 'x' })
  })

  test('a file that is not the one that was seen is stale', async () => {
    const { change, refusal } = await open({ a: 'A' })
    const [seen, actual] = [await contentHash(bytes('seen')), await contentHash(bytes('A'))]
    const write = (path: string, expectedHash: string) => ({ files: [{ path, content: 'x', expectedHash }] })
    expect(await refusal(writeFiles, write('a', seen))).toEqual({
      code: 'STALE',
      path: '/w/a',
      expected: seen,
      actual,
    })
    expect(await refusal(writeFiles, write('gone', seen))).toEqual({
      code: 'STALE',
      path: '/w/gone',
      expected: seen,
      actual: '',
    })
    expect((await change(writeFiles, write('a', actual))).tree).toEqual({ a: 'x' })
  })

  test('of several files all are written or none', async () => {
    const { refusal } = await open({ a: 'A', 'd/x': 'X' })
    const files = [
      { path: 'a', content: '2' },
      { path: 'n/new', content: '2' },
      { path: 'd', content: '2' },
    ]
    expect(await refusal(writeFiles, { files, makeParents: true })).toEqual({ code: 'IS_A_DIRECTORY', path: '/w/d' })
    const root = [{ path: '.', content: 'x' }]
    expect(await refusal(writeFiles, { files: root, makeParents: true })).toEqual({
      code: 'IS_A_DIRECTORY',
      path: '/w',
    })
  })

  test('below a file there is no place', async () => {
    const { refusal } = await open({ a: 'A' })
    const files = [{ path: 'a/b/c', content: 'x' }]
    expect(await refusal(writeFiles, { files, makeParents: true })).toEqual({
      code: 'NOT_A_DIRECTORY',
      path: '/w/a/b/c',
    })
    expect(await refusal(writeFiles, { files })).toMatchObject({ path: '/w/a/b/c' })
  })

  test('a link at the end is followed or refused, as asked for', async () => {
    const { change, refusal } = await open({ 'd/a': 'A', to: { link: 'd/a' }, dir: { link: 'd' } })
    const files = [{ path: 'to', content: 'x' }]
    expect(await refusal(writeFiles, { files, finalLink: 'refuse' })).toEqual({ code: 'IS_LINK', path: '/w/to' })
    expect(await change(writeFiles, { files })).toEqual({
      result: [{ path: '/w/to', created: false, bytes: 1 }],
      tree: { 'd/': '', 'd/a': 'x', to: { link: 'd/a' }, dir: { link: 'd' } },
    })
    // Links on the way are always followed.
    const behind = { files: [{ path: 'dir/b', content: 'B' }], finalLink: 'refuse' as const }
    expect((await change(writeFiles, behind)).tree).toMatchObject({ 'd/b': 'B' })
  })

  test('a link that leads nowhere is followed to where it leads', async () => {
    const { change } = await open({ 'd/': '', to: { link: 'd/new' } })
    expect((await change(writeFiles, { files: [{ path: 'to', content: 'x' }] })).tree).toEqual({
      'd/': '',
      'd/new': 'x',
      to: { link: 'd/new' },
    })
  })

  test('nothing outside is written, by name or through a link', async () => {
    const { refusal } = await open({ out: { link: '../outside/secret.txt' }, away: { link: '../outside' } })
    for (const path of ['../outside/secret.txt', 'out', 'away/secret.txt', 'away/new']) {
      expect(await refusal(writeFiles, { files: [{ path, content: 'x' }] })).toMatchObject({ code: 'OUTSIDE' })
    }
  })
})
