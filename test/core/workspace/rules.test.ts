import { describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { listDirectory } from '../../../src/ops/list-directory.js'
import { deleteEntries } from '../../../src/ops/many/delete-entries.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { compileRules, type Rule } from '../../../src/workspace/rules.js'

const decide = (rules: readonly Rule[], path: string, kind: 'read' | 'change' = 'read', roots = ['/w']) =>
  compileRules(rules, roots).decide(path, kind)?.verdict ?? 'allow'

describe('what a rule is about', () => {
  test.each([
    ['.env', '/w/.env', 'deny'],
    ['.env', '/w/a/b/.env', 'deny'],
    ['.env', '/w/.env/inside', 'deny'],
    ['.env', '/w/.envrc', 'allow'],
    ['.env*', '/w/.envrc', 'deny'],
    ['**/.env*', '/w/x/.env.local', 'deny'],
    ['**/.env*', '/w/.env', 'deny'],
    ['.env.[!e]*', '/w/.env.example', 'allow'],
    ['config/prod.env', '/w/config/prod.env', 'deny'],
    ['config/prod.env', '/w/x/config/prod.env', 'allow'],
    ['./config', '/w/config', 'deny'],
    ['./config', '/w/x/config', 'allow'],
    ['config//prod.env/', '/w/config/prod.env', 'deny'],
    ['/config', '/w/config/a', 'deny'],
    ['/w/config', '/w/config/a', 'deny'],
    ['src/**', '/w/src/a/b', 'deny'],
    ['src/**', '/w/src', 'allow'],
    ['**', '/w/a', 'deny'],
    ['**', '/w', 'allow'],
  ])('%s and %s: %s', (pattern, path, verdict) => {
    expect(decide([{ deny: pattern }], path)).toBe(verdict)
  })

  test.each([
    '/w/.ENV',
    '/w/.Env',
    '/w/.env ',
    '/w/.env.',
    '/w/.env::$DATA',
    '/w/.e\u200bnv',
    '/w/．env',
    '/w/.ｅnv',
    '/w/a/.ENV/x',
  ])('other spellings of a name that is denied are denied: %j', (path) => {
    expect(decide([{ deny: '.env' }], path)).toBe('deny')
  })

  test('normal forms are one name', () => {
    expect(decide([{ deny: 'caf\u00e9' }], '/w/cafe\u0301')).toBe('deny')
    expect(decide([{ deny: 'cafe\u0301' }], '/w/CAF\u00c9')).toBe('deny')
  })

  test('what is allowed is only the name itself', () => {
    const rules: Rule[] = [{ ask: '*', to: 'read' }, { allow: 'Open' }]
    expect(decide(rules, '/w/Open')).toBe('allow')
    expect(decide(rules, '/w/open')).toBe('ask')
  })

  test('patterns are read from every root that contains a path', () => {
    const rules: Rule[] = [{ deny: 'keys/a' }]
    expect(decide(rules, '/w/inner/keys/a', 'read', ['/w', '/w/inner'])).toBe('deny')
    expect(decide(rules, '/w/keys/a', 'read', ['/w', '/w/keys'])).toBe('deny')
    expect(decide([{ deny: 'a' }], '/w/keys/a', 'read', ['/w', '/w/keys'])).toBe('deny')
  })

  test.each(['', '/', '.', '../x', 'a/../b', '!x', '[a'])('%j is no pattern', (pattern) => {
    expect(() => compileRules([{ deny: pattern }], ['/w'])).toThrow(FsError)
  })
})

describe('which rule decides', () => {
  test('one that denies wins, wherever it stands', () => {
    expect(decide([{ deny: 'a' }, { allow: 'a' }], '/w/a')).toBe('deny')
    expect(decide([{ allow: 'a' }, { deny: 'a' }, { ask: 'a', to: 'read' }], '/w/a')).toBe('deny')
  })

  test('of the others the last that matches', () => {
    expect(decide([{ ask: 'src/**' }, { allow: 'src/gen/**' }], '/w/src/gen/a', 'change')).toBe('allow')
    expect(decide([{ allow: 'src/gen/**' }, { ask: 'src/**' }], '/w/src/gen/a', 'change')).toBe('ask')
  })

  test('to ask is about changing, unless it says otherwise', () => {
    expect(decide([{ ask: 'a' }], '/w/a', 'read')).toBe('allow')
    expect(decide([{ ask: 'a' }], '/w/a', 'change')).toBe('ask')
    expect(decide([{ ask: 'a', to: ['read', 'change'] }], '/w/a', 'read')).toBe('ask')
  })

  test('what may not be read may not be changed', () => {
    expect(decide([{ deny: 'a', to: 'read' }], '/w/a', 'change')).toBe('deny')
    expect(decide([{ deny: 'a', to: 'change' }], '/w/a', 'read')).toBe('allow')
  })
})

const files = { '/w/.env': 'KEY=1\n', '/w/config/prod.env': 'KEY=2\n', '/w/src/a.ts': 'one\n', '/w/other/b': 'two\n' }
const open = (rules: readonly Rule[], roots = ['/w']) => {
  const fs = memory(files)
  const asRoot = (path: string) => ({ path, access: 'read-write' as const })
  return { fs, workspace: createWorkspace({ fs, rules, roots: roots.map(asRoot) as never }) }
}
const secretRules: Rule[] = [{ deny: ['.env', 'config/prod.env'] }]
const forbidden = (path: string, doing = 'change') => ({
  code: 'FORBIDDEN',
  facts: { path, doing, rule: expect.any(String) },
})

describe('the gate', () => {
  test('a denied entry is in no listing, and is refused whether it exists or not', async () => {
    const { workspace } = open([{ deny: ['.env', '.missing'] }])
    const { entries } = await workspace.run(listDirectory, { path: '.' })
    expect(entries.map(({ name }) => name)).toEqual(['config', 'other', 'src'])
    await expect(workspace.fs.stat('/w/.env')).rejects.toMatchObject(forbidden('/w/.env', 'read'))
    await expect(workspace.fs.stat('/w/.missing')).rejects.toMatchObject(forbidden('/w/.missing', 'read'))
    expect(() => workspace.fs.sync?.stat('/w/.env')).toThrow(FsError)
  })

  test('a directory is not moved with something denied in it, nor to a place where its files would be denied', async () => {
    const { workspace, fs } = open([{ deny: ['config/prod.env', 'vault/**'] }])
    await expect(workspace.run(moveEntry, { from: 'config', to: 'c2' })).rejects.toMatchObject(forbidden('/w/config'))
    await expect(workspace.run(moveEntry, { from: 'other', to: 'vault' })).rejects.toMatchObject(
      forbidden('/w/vault/b'),
    )
    await expect(workspace.fs.rename('/w/config', '/w/c2')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await fs.stat('/w/config/prod.env')).kind).toBe('file')
  })

  test('a directory is not removed with something denied in it', async () => {
    const { workspace, fs } = open(secretRules)
    await expect(workspace.run(deleteEntries, { paths: ['config'], recursive: true } as never)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await fs.stat('/w/config/prod.env')).kind).toBe('file')
  })

  test('links lead to nothing that is denied, nor through it', async () => {
    const { workspace, fs } = open([{ deny: ['config'] }])
    await fs.symlink?.('config/prod.env', '/w/link')
    await fs.symlink?.('config', '/w/all')
    await fs.symlink?.('config/nothing/../../src/a.ts', '/w/probe')
    for (const path of ['/w/link', '/w/all/prod.env', '/w/all/nothing', '/w/probe']) {
      await expect(workspace.fs.readFile(path)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    }
  })

  test('what is opened within, narrowed or forked has the same rules, read from the same roots', async () => {
    const { workspace } = open(secretRules)
    const inner = await workspace.openWorkspace('config')
    await expect(inner.fs.readFile('/w/config/prod.env')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const narrow = await workspace.narrow(['config'])
    expect(await narrow.fs.readDir('/w/config')).toEqual([])
    const fork = await workspace.fork()
    await expect(fork.fs.readFile('/w/.env')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await fork.run(writeFiles, { files: [{ path: 'src/c.ts', content: 'c' }] })
    expect(await workspace.merge(fork)).toMatchObject({ conflicts: [] })
  })

  test('the history shows no change of a denied path, and undoes none', async () => {
    const { fs } = open([])
    const first = createWorkspace({ fs })
    const written = await first.changes.run({ label: 'edit', scopes: [{ path: '/w/.env' }] }, async (draft, [path]) => {
      await draft.write(path as string, new TextEncoder().encode('KEY=3\n'))
    })
    const { journal } = first.changes
    const second = createWorkspace({ fs, journal, rules: secretRules, roots: [{ path: '/w', access: 'read-write' }] })
    expect(await second.history.list()).toEqual([])
    await expect(second.history.undo(written.record?.id)).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
    await expect(second.history.earlierVersions('/w/.env', 5)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await second.history.differences(undefined)).toEqual([])
  })

  test('what may only be read is read', async () => {
    const { workspace } = open([{ deny: 'src/**', to: 'change' }])
    expect(await workspace.fs.readFile('/w/src/a.ts')).toEqual(new TextEncoder().encode('one\n'))
    const write = workspace.run(writeFiles, { files: [{ path: 'src/a.ts', content: 'x' }] })
    await expect(write).rejects.toMatchObject(forbidden('/w/src/a.ts'))
    await expect(workspace.run(moveEntry, { from: 'src', to: 'other/src' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})
