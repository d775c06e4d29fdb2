import { beforeEach, describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { AccessRules } from '../../../src/fs/gate/access-rules.js'
import { type ConfinedFileSystem, type ConfineOptions, confine } from '../../../src/fs/gate/confine.js'
import type { Protection } from '../../../src/fs/gate/protected-names.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'

let tree: FileSystem
let confined: ConfinedFileSystem

beforeEach(() => {
  tree = memory({
    '/project/a.txt': 'alpha',
    '/project/sub/b.txt': 'beta',
    '/project/.git/config': '[core]',
    '/project/.mcp.json': '{}',
    '/other/secret.txt': 'secret',
  })
  confined = confineTo(['/project'])
})

function confineTo(paths: [string, ...string[]], options: Omit<ConfineOptions, 'roots'> = {}): ConfinedFileSystem {
  const [first, ...rest] = paths
  return confine(tree, {
    ...options,
    roots: [{ path: first, access: 'read-write' }, ...rest.map((path) => ({ path, access: 'read-write' as const }))],
  })
}

describe('hidden and unlisted directories', () => {
  beforeEach(() => {
    tree = memory({
      '/home/a.txt': 'alpha',
      '/home/.state/own/one/secret.txt': 'secret',
      '/home/.state/own/one/out/long.log': 'long',
      '/home/.state/other.txt': 'other',
    })
    confined = confineTo(['/home'], { hidden: ['/home/.state/own'], unlisted: ['/home/.state/own/one/out'] })
  })

  test('hidden entries are outside, by every path and for every operation', async () => {
    await tree.symlink?.('.state/own/one', '/home/link')
    for (const path of ['/home/.state/own', '/home/.state/own/one/secret.txt', '/home/.state/own/new']) {
      expect(() => confined.resolve(path)).toThrow(new FsError('OUTSIDE', { path }))
      expect(() => confined.authorize(path, 'read')).toThrow(new FsError('OUTSIDE', { path }))
      await expect(confined.exact.stat(path)).rejects.toThrow(new FsError('OUTSIDE', { path }))
    }
    for (const path of ['/home/link', '/home/link/secret.txt']) {
      await expect(confined.realPath(path)).rejects.toThrow(new FsError('OUTSIDE', { path }))
    }
  })

  test('no listing shows it, and its parent can not be moved or removed', async () => {
    const names = [{ name: 'other.txt', kind: 'file' }]
    expect(await confined.readDir('/home/.state')).toEqual(names)
    expect(confined.sync?.readDir('/home/.state')).toEqual(names)
    expect(await confined.exact.readDir('/home/.state')).toEqual(names)
    const list = confined.sync?.directoryLister?.('/home')
    if (typeof list === 'function') expect(list(['.state'])).toEqual(names)
    await expect(confined.rename('/home/.state', '/home/moved')).rejects.toThrow(FsError)
    await expect(confined.remove('/home/.state')).rejects.toThrow(new FsError('IS_ROOT', { path: '/home/.state' }))
  })

  test('unlisted entries in it can be read by path, but not changed', async () => {
    const log = '/home/.state/own/one/out/long.log'
    expect(new TextDecoder().decode(await confined.readFile(log))).toBe('long')
    expect(await confined.readDir('/home/.state/own/one/out')).toEqual([{ name: 'long.log', kind: 'file' }])
    await expect(confined.remove(log)).rejects.toThrow(new FsError('READ_ONLY', { path: log }))
    expect(confined.roots.map(({ path }) => path)).toEqual(['/home'])
  })

  test('a file system that takes two spellings for one name hides both', async () => {
    const insensitive = { ...tree, capabilities: { ...tree.capabilities, caseSensitive: false } }
    const gate = confine(insensitive, {
      roots: [{ path: '/home', access: 'read-write' }],
      hidden: ['/home/.State/OWN'],
    })
    expect(() => gate.resolve('/home/.state/Own/one')).toThrow(FsError)
    expect(await gate.readDir('/home/.state')).toEqual([{ name: 'other.txt', kind: 'file' }])
  })
})

async function link(path: string, target: string): Promise<void> {
  await tree.symlink?.(target, path)
}

describe('resolve', () => {
  test.each([
    ['a.txt', '/project/a.txt'],
    ['./sub//b.txt', '/project/sub/b.txt'],
    ['sub/../a.txt', '/project/a.txt'],
    ['', 'INVALID_PATH'],
    ['.', '/project'],
    ['/project', '/project'],
    ['/project/', '/project'],
    ['/other/../project/a.txt', '/project/a.txt'],
    ['../project/a.txt', '/project/a.txt'],
    ['no/such/file', '/project/no/such/file'],
    ['~/a', '/project/~/a'],
    ['..', 'OUTSIDE'],
    ['../other/secret.txt', 'OUTSIDE'],
    ['/other', 'OUTSIDE'],
    ['/workshop', 'OUTSIDE'],
    ['/project ', 'OUTSIDE'],
    ['/PROJECT/a.txt', 'OUTSIDE'],
    ['/', 'OUTSIDE'],
    ['../../../../project/a.txt', 'OUTSIDE'],
    ['a\0', 'INVALID_PATH'],
  ])('takes %j for %s', (input, expected) => {
    expect(outcome(() => confined.resolve(input))).toBe(expected)
  })

  test('counts from the base it is given, which does not widen what may be reached', () => {
    expect(confined.resolve('b.txt', '/project/sub')).toBe('/project/sub/b.txt')
    expect(confined.resolve('../a.txt', '/project/sub')).toBe('/project/a.txt')
    expect(outcome(() => confined.resolve('../../other', '/project/sub'))).toBe('OUTSIDE')
    expect(outcome(() => confined.resolve('secret.txt', '/other'))).toBe('OUTSIDE')
  })

  test('counts from the first root when there are several', () => {
    const both = confineTo(['/project', '/other'])
    expect(both.resolve('x')).toBe('/project/x')
    expect(both.resolve('../other/x')).toBe('/other/x')
  })

  test('names a root by its alias, and only by that', () => {
    const aliased = confine(tree, { roots: [{ path: '/project', access: 'read-write', aliases: ['/home/me/link'] }] })
    expect(aliased.resolve('/home/me/link')).toBe('/project')
    expect(aliased.resolve('/home/me/link/sub/b.txt')).toBe('/project/sub/b.txt')
    expect(outcome(() => aliased.resolve('/home/me/linked'))).toBe('OUTSIDE')
    expect(outcome(() => aliased.resolve('/home/me/link/../x'))).toBe('OUTSIDE')
    expect(outcome(() => aliased.resolve('/home/me'))).toBe('OUTSIDE')
  })

  test('compares roots without case where the file system does', () => {
    const insensitive = confine(
      { ...tree, capabilities: { ...tree.capabilities, caseSensitive: false } },
      { roots: [{ path: '/project', access: 'read-write' }] },
    )
    expect(insensitive.resolve('/PROJECT/a.txt')).toBe('/PROJECT/a.txt')
    expect(outcome(() => insensitive.resolve('/OTHER'))).toBe('OUTSIDE')
  })
})

describe('links', () => {
  test('are followed inside a root, relative or absolute, in the middle or at the end', async () => {
    await link('/project/to-file', 'sub/b.txt')
    await link('/project/to-directory', '/project/sub')
    await link('/project/sub/up', '..')
    await link('/project/chain', 'to-directory')
    for (const path of [
      '/project/to-file',
      '/project/to-directory/b.txt',
      '/project/sub/up/sub/b.txt',
      '/project/chain/b.txt',
    ]) {
      expect(text(await confined.readFile(path)), path).toBe('beta')
      expect(await confined.realPath(path), path).toBe('/project/sub/b.txt')
    }
    expect(await confined.readDir('/project/chain')).toEqual(await tree.readDir('/project/sub'))
  })

  test('are written through, and stay links', async () => {
    await link('/project/l', 'sub/b.txt')
    await confined.writeFile('/project/l', bytes('changed'))
    expect(text(await tree.readFile('/project/sub/b.txt'))).toBe('changed')
    expect((await tree.stat('/project/l')).kind).toBe('symlink')
  })

  test('that dangle inside a root are filled where they lead', async () => {
    await link('/project/l', 'sub/new.txt')
    await confined.writeFile('/project/l', bytes('new'))
    expect(text(await tree.readFile('/project/sub/new.txt'))).toBe('new')
  })

  test('are not followed by stat, rename, remove and exclusive creation', async () => {
    await link('/project/l', 'a.txt')
    expect((await confined.stat('/project/l')).kind).toBe('symlink')
    expect(await confined.readLink?.('/project/l')).toBe('a.txt')
    expect(await failure(confined.writeFile('/project/l', bytes('x'), { exclusive: true }))).toBe('EXISTS /project/l')
    expect(await failure(confined.makeDir('/project/l'))).toBe('EXISTS /project/l')
    await confined.rename('/project/l', '/project/sub/l')
    expect((await tree.stat('/project/sub/l')).kind).toBe('symlink')
    await confined.remove('/project/sub/l')
    expect(text(await tree.readFile('/project/a.txt'))).toBe('alpha')
  })

  const waysOut: Record<string, string> = {
    'an absolute link': '/other',
    'a relative link': '../other',
    'a link over a detour': 'sub/../../other',
    'a link above the top': '../../../../other',
    'a link to the directory that holds the root': '..',
    'a link that comes back in': '/other/../project/sub',
  }
  for (const [what, target] of Object.entries(waysOut)) {
    test(`${what} out of the roots (${target}) is refused, whatever is asked`, async () => {
      await link('/project/l', target)
      const calls: Record<string, Promise<unknown>> = {
        '/project/l/secret.txt': confined.readFile('/project/l/secret.txt'),
        '/project/l': confined.readDir('/project/l'),
        '/project/l/new.txt': confined.writeFile('/project/l/new.txt', bytes('x')),
        '/project/l/new': confined.makeDir('/project/l/new'),
        '/project/l/./secret.txt': confined.stat('/project/l/./secret.txt'),
        '/project/l//secret.txt': confined.remove('/project/l//secret.txt'),
      }
      for (const [path, call] of Object.entries(calls)) expect(await failure(call)).toBe(`OUTSIDE ${path}`)
      expect(await failure(confined.rename('/project/l/secret.txt', '/project/x'))).toBe(
        'OUTSIDE /project/l/secret.txt',
      )
      expect(await failure(confined.rename('/project/a.txt', '/project/l/x'))).toBe('OUTSIDE /project/l/x')
      expect(await failure(confined.realPath('/project/l'))).toBe('OUTSIDE /project/l')
      expect(await tree.readDir('/other')).toEqual([{ name: 'secret.txt', kind: 'file' }])
    })
  }

  test('that dangle outside the roots are not filled', async () => {
    await link('/project/l', '/other/new.txt')
    expect(await failure(confined.writeFile('/project/l', bytes('x')))).toBe('OUTSIDE /project/l')
    expect(await tree.readDir('/other')).toEqual([{ name: 'secret.txt', kind: 'file' }])
  })

  test('give the same error for existing and missing targets outside', async () => {
    await link('/project/there', '/other/secret.txt')
    await link('/project/not-there', '/other/nothing.txt')
    expect(await failure(confined.readFile('/project/there'))).toBe('OUTSIDE /project/there')
    expect(await failure(confined.readFile('/project/not-there'))).toBe('OUTSIDE /project/not-there')
  })

  test('may lead from one root into another', async () => {
    await link('/project/l', '/other/secret.txt')
    expect(text(await confineTo(['/project', '/other']).readFile('/project/l'))).toBe('secret')
  })

  test('that form a loop are reported', async () => {
    await link('/project/self', 'self')
    await link('/project/ping', 'pong')
    await link('/project/pong', 'ping')
    await link('/project/grow', 'grow/more')
    for (const path of ['/project/self', '/project/ping', '/project/pong/x', '/project/grow']) {
      expect(await failure(confined.readFile(path))).toBe(`LINK_LOOP ${path}`)
      expect(await failure(confined.writeFile(path, bytes('x')))).toBe(`LINK_LOOP ${path}`)
    }
  })

  test('are followed 40 times and no more', async () => {
    await link('/project/l1', 'a.txt')
    for (let index = 2; index <= 41; index += 1) await link(`/project/l${index}`, `l${index - 1}`)
    expect(text(await confined.readFile('/project/l40'))).toBe('alpha')
    expect(await failure(confined.readFile('/project/l41'))).toBe('LINK_LOOP /project/l41')
  })

  test('are created only to targets inside, and their target is reported only if it is inside', async () => {
    await confined.symlink?.('../a.txt', '/project/sub/l')
    expect(await confined.readLink?.('/project/sub/l')).toBe('../a.txt')
    expect(await failure(confined.symlink?.('../../other', '/project/sub/m'))).toBe('OUTSIDE /project/sub/m')
    expect(await failure(confined.symlink?.('/other/secret.txt', '/project/m'))).toBe('OUTSIDE /project/m')
    await link('/project/out', '/other/secret.txt')
    expect(await failure(confined.readLink?.('/project/out'))).toBe('OUTSIDE /project/out')
  })
})

describe('rights', () => {
  const changes: Record<string, (fs: ConfinedFileSystem) => Promise<unknown> | undefined> = {
    '/project/a.txt': (fs) => fs.writeFile('/project/a.txt', bytes('x')),
    '/project/new': (fs) => fs.makeDir('/project/new'),
    '/project/sub/b.txt': (fs) => fs.remove('/project/sub/b.txt'),
    '/project/./a.txt': (fs) => fs.rename('/project/./a.txt', '/project/b.txt'),
    '/project/l': (fs) => fs.symlink?.('a.txt', '/project/l'),
    '/project/sub/../a.txt': (fs) => fs.setMode?.('/project/sub/../a.txt', 0o600),
    '/project/sub/.././a.txt': (fs) => fs.setModified?.('/project/sub/.././a.txt', 0),
  }

  test('a read-only root is read and never changed', async () => {
    const readOnly = confine(tree, { roots: [{ path: '/project', access: 'read-only' }] })
    expect(text(await readOnly.readFile('/project/a.txt'))).toBe('alpha')
    for (const [path, change] of Object.entries(changes))
      expect(await failure(change(readOnly))).toBe(`READ_ONLY ${path}`)
    expect(readOnly.capabilities.writable).toBe(false)
  })

  test('of nested roots the inner decides, whichever is named first', async () => {
    const outer = { path: '/project', access: 'read-write' } as const
    const inner = { path: '/project/sub', access: 'read-only' } as const
    for (const roots of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      const nested = confine(tree, { roots })
      await nested.writeFile('/project/a.txt', bytes('changed'))
      expect(await failure(nested.writeFile('/project/sub/b.txt', bytes('x')))).toBe('READ_ONLY /project/sub/b.txt')
      expect(nested.rootOf('/project/sub/b.txt')).toEqual(inner)
      expect(nested.rootOf('/project/subway')).toEqual(outer)
    }
  })

  test('a read-only root in a read-write one is not written', () => {
    const roots: ConfineOptions['roots'] = [
      { path: '/project', access: 'read-write' },
      { path: '/project/sub/inner', access: 'read-only' },
    ]
    const gate = confine(tree, { roots })
    gate.authorize('/project/sub/b.txt', 'write')
    for (const path of ['/project/sub/inner', '/project/sub/inner/c.txt']) {
      expect(() => gate.authorize(path, 'write')).toThrow(expect.objectContaining({ code: 'READ_ONLY' }))
    }
  })

  test('a read-write root in a read-only one is written', async () => {
    const nested = confine(tree, {
      roots: [
        { path: '/project', access: 'read-only' },
        { path: '/project/sub', access: 'read-write' },
      ],
    })
    await nested.writeFile('/project/sub/b.txt', bytes('changed'))
    expect(await failure(nested.writeFile('/project/a.txt', bytes('x')))).toBe('READ_ONLY /project/a.txt')
    expect(await failure(nested.rename('/project/sub/b.txt', '/project/b.txt'))).toBe('READ_ONLY /project/b.txt')
    expect(await failure(nested.rename('/project/a.txt', '/project/sub/a.txt'))).toBe('READ_ONLY /project/a.txt')
  })

  test('a link does not pass on the rights of its own directory', async () => {
    await link('/project/l', 'sub/b.txt')
    const nested = confine(tree, {
      roots: [
        { path: '/project', access: 'read-write' },
        { path: '/project/sub', access: 'read-only' },
      ],
    })
    expect(await failure(nested.writeFile('/project/l', bytes('x')))).toBe('READ_ONLY /project/l')
    expect(text(await tree.readFile('/project/sub/b.txt'))).toBe('beta')
  })
})

describe('protected names', () => {
  const spellings = [
    '.git',
    '.GIT',
    '.Git',
    '.git.',
    '.git ',
    '.git . .',
    '.git\u200c',
    '.g\u200bit',
    '\ufeff.git',
    '.gi\u00adt',
    '\uff0egit',
    '.g\u0069\ufe0ft',
    'git~1',
    'GIT~2',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
  ]
  test.each(spellings)('%j is .git, at any depth', async (name) => {
    for (const path of [`/project/${name}/config`, `/project/${name}`, `/project/sub/${name}/hooks/x`]) {
      const calls = [
        confined.writeFile(path, bytes('x')),
        confined.makeDir(path),
        confined.remove(path),
        confined.rename(path, '/project/x'),
        confined.rename('/project/a.txt', path),
        confined.symlink?.('a.txt', path),
        confined.setMode?.(path, 0o777),
        confined.setModified?.(path, 0),
      ]
      for (const call of calls) {
        expect(await error(call)).toMatchObject({ code: 'PROTECTED', facts: { path, name } })
      }
    }
  })

  test.each(['.gitignore', '.github', '.gitmodules', 'git', 'x.git', '.git~', '.gita', 'git~', 'git~1x', '..git'])(
    '%j is a name like any other',
    async (name) => {
      await confined.writeFile(`/project/${name}`, bytes('x'))
      expect(text(await tree.readFile(`/project/${name}`))).toBe('x')
    },
  )

  test('are protected beside others that were just written', () => {
    for (const gate of [confined, confineTo(['/project', '/project/sub/deep/inner'])]) {
      gate.authorize('/project/sub/deep/c.txt', 'write')
      gate.authorize('/project/sub/deep/d.txt', 'write')
      for (const name of ['.git', '.GIT', 'git~1', '.g\u200dit', '.polyfs-lock', '.Polyfs-Lock-0a']) {
        expect(() => gate.authorize(`/project/sub/deep/${name}`, 'write')).toThrow(
          expect.objectContaining({ code: 'PROTECTED' }),
        )
      }
    }
  })

  test('are read, listed and described', async () => {
    expect(text(await confined.readFile('/project/.git/config'))).toBe('[core]')
    expect(await confined.readDir('/project/.git')).toEqual([{ name: 'config', kind: 'file' }])
    expect((await confined.stat('/project/.git')).kind).toBe('directory')
  })

  test('are protected behind a link too', async () => {
    await link('/project/l', '.git')
    await link('/project/sub/config', '../.git/config')
    expect(await failure(confined.writeFile('/project/l/config', bytes('x')))).toBe('PROTECTED /project/l/config')
    expect(await failure(confined.writeFile('/project/sub/config', bytes('x')))).toBe('PROTECTED /project/sub/config')
    expect(await failure(confined.makeDir('/project/l/hooks'))).toBe('PROTECTED /project/l/hooks')
    expect(await failure(confined.rename('/project/a.txt', '/project/l/config'))).toBe('PROTECTED /project/l/config')
    expect(text(await tree.readFile('/project/.git/config'))).toBe('[core]')
  })

  test('are not made by moving a directory to their place', async () => {
    await confined.makeDir('/project/prepared')
    expect(await failure(confined.rename('/project/prepared', '/project/sub/.git'))).toBe('PROTECTED /project/sub/.git')
  })

  const cases: [string, Protection | undefined, string][] = [
    ['/project/.git/config', undefined, 'PROTECTED'],
    ['/project/.git/config', { git: false }, 'done'],
    ['/project/.mcp.json', undefined, 'done'],
    ['/project/.mcp.json', { config: true }, 'PROTECTED'],
    ['/project/.MCP.json', { config: true }, 'PROTECTED'],
    ['/project/.vscode', { config: true }, 'PROTECTED'],
    ['/project/.Claude.', { config: true }, 'PROTECTED'],
    ['/project/.envrc', { config: true, git: false }, 'PROTECTED'],
    ['/project/sub/.mcp.json', { config: true }, 'done'],
    ['/project/sub/.vscode', { config: true }, 'done'],
    ['/project/vscode', { config: true }, 'done'],
  ]
  test.each(cases)('writing %s with protect %j: %s', async (path, protect, expected) => {
    const guarded = confineTo(['/project'], protect === undefined ? {} : { protect })
    const result = await error(guarded.writeFile(path, bytes('x')))
    expect(result?.code ?? 'done').toBe(expected)
  })

  test('configuration is protected at the top of each root', async () => {
    const guarded = confineTo(['/project', '/project/sub'], { protect: { config: true } })
    expect(await failure(guarded.writeFile('/project/sub/.mcp.json', bytes('x')))).toBe(
      'PROTECTED /project/sub/.mcp.json',
    )
  })
})

describe('roots', () => {
  test('are neither moved, replaced nor removed, nor are their parents', async () => {
    const nested = confineTo(['/project', '/project/sub/inner'])
    await tree.makeDir('/project/sub/inner')
    for (const path of ['/project', '/project/sub', '/project/sub/inner']) {
      expect(await failure(nested.remove(path))).toBe(`IS_ROOT ${path}`)
      expect(await failure(nested.rename(path, '/project/moved'))).toBe(`IS_ROOT ${path}`)
      expect(await failure(nested.rename('/project/a.txt', path))).toBe(`IS_ROOT ${path}`)
    }
  })

  test('are recognised behind a link', async () => {
    await link('/project/up', '..')
    expect((await confined.stat('/project/up/project')).kind).toBe('directory')
    expect(await failure(confined.remove('/project/up/project'))).toBe('IS_ROOT /project/up/project')
    expect(await failure(confined.rename('/project/up/project', '/project/x'))).toBe('IS_ROOT /project/up/project')
    expect(await failure(confined.rename('/project/sub', '/project/up/project'))).toBe('IS_ROOT /project/up/project')
  })

  test('are listed and described', async () => {
    expect((await confined.stat('/project')).kind).toBe('directory')
    expect((await confined.readDir('/project')).map(({ name }) => name).sort()).toEqual([
      '.git',
      '.mcp.json',
      'a.txt',
      'sub',
    ])
  })

  test('are reported as they were given', () => {
    expect(confined.roots).toEqual([{ path: '/project', access: 'read-write' }])
  })
})

describe('on a file system whose calls are done when they return', () => {
  const rules: AccessRules = {
    decide: (path) => (path === '/project/denied/file' ? { verdict: 'deny', rule: 'denied/file' } : undefined),
    limitsReading: true,
  }

  describe.each([
    ['without rules', {}],
    ['with rules', { rules }],
  ])('%s', (_, options) => {
    const changes: Array<[string, (fs: ConfinedFileSystem) => Promise<void> | undefined, string, string | undefined]> =
      [
        ['writeFile', (fs) => fs.writeFile('/project/new', new Uint8Array()), '/project/new', 'file'],
        ['makeDir', (fs) => fs.makeDir('/project/new'), '/project/new', 'directory'],
        ['remove', (fs) => fs.remove('/project/a.txt'), '/project/a.txt', undefined],
        ['rename of a file', (fs) => fs.rename('/project/a.txt', '/project/new'), '/project/new', 'file'],
        ['rename of a directory', (fs) => fs.rename('/project/sub', '/project/new'), '/project/new/b.txt', 'file'],
        ['symlink', (fs) => fs.symlink?.('a.txt', '/project/new'), '/project/new', 'symlink'],
      ]

    test.each(changes)('so is %s', async (_name, change, path, kind) => {
      const done = change(confineTo(['/project'], options))
      expect(tree.sync?.find?.(path)).toEqual(kind === undefined ? undefined : expect.objectContaining({ kind }))
      await done
    })

    test('so are setMode and setModified', async () => {
      const fs = confineTo(['/project'], options)
      const done = [fs.setMode?.('/project/a.txt', 0o600), fs.setModified?.('/project/a.txt', 1000)]
      expect(tree.sync?.stat('/project/a.txt')).toMatchObject({ mode: 0o600, modifiedMs: 1000 })
      await Promise.all(done)
    })
  })

  test('a directory is moved neither from nor to where a rule denies what is below', async () => {
    await tree.makeDir('/project/denied')
    await tree.writeFile('/project/denied/file', new Uint8Array())
    await tree.writeFile('/project/sub/file', new Uint8Array())
    const fs = confineTo(['/project'], { rules })
    await expect(fs.rename('/project/denied', '/project/new')).rejects.toThrow(
      new FsError('FORBIDDEN', { path: '/project/denied', doing: 'change', rule: 'denied/file' }),
    )
    await tree.rename('/project/denied', '/project/elsewhere')
    await expect(fs.rename('/project/sub', '/project/denied')).rejects.toThrow(
      new FsError('FORBIDDEN', { path: '/project/denied', doing: 'change', rule: 'denied/file' }),
    )
    expect((await tree.stat('/project/sub/file')).kind).toBe('file')
  })
})

describe('errors', () => {
  test('carry the path as it was given, not the one behind a link', async () => {
    await link('/project/l', 'sub')
    expect(await failure(confined.readFile('/project/l/none.txt'))).toBe('NOT_FOUND /project/l/none.txt')
    expect(await failure(confined.readFile('l/../l/none.txt'))).toBe('NOT_FOUND l/../l/none.txt')
    expect(await failure(confined.readDir('/project/l/b.txt'))).toBe('NOT_A_DIRECTORY /project/l/b.txt')
    expect(await failure(confined.readFile('/project/l/'))).toBe('IS_A_DIRECTORY /project/l/')
    expect(await failure(confined.makeDir('/project/l/b.txt'))).toBe('EXISTS /project/l/b.txt')
    expect(await failure(confined.remove('/project/l/../sub'))).toBe('NOT_EMPTY /project/l/../sub')
  })

  test('of a rename name the end that is at fault', async () => {
    await link('/project/l', 'sub')
    expect(await failure(confined.rename('/project/l/none', '/project/x'))).toBe('NOT_FOUND /project/l/none')
    expect(await failure(confined.rename('/project/a.txt', '/project/none/x'))).toBe('NOT_FOUND /project/none/x')
    expect(await failure(confined.rename('/other/secret.txt', '/project/x'))).toBe('OUTSIDE /other/secret.txt')
    expect(await failure(confined.rename('/project/a.txt', '/other/x'))).toBe('OUTSIDE /other/x')
    expect(await error(confined.rename('/project/sub', '/project/l/x'))).toEqual(
      new FsError('INTO_ITSELF', { path: '/project/sub', to: '/project/l/x' }),
    )
    expect(text(await tree.readFile('/project/a.txt'))).toBe('alpha')
  })
})

test('a watch through a link reports changes under the requested path', async () => {
  await link('/project/l', 'sub')
  const changes: string[] = []
  const unwatch = await confined.watch?.('/project/l', ({ path }) => changes.push(path))
  await tree.writeFile('/project/sub/b.txt', bytes('changed'))
  unwatch?.()
  await tree.writeFile('/project/sub/b.txt', bytes('changed again'))
  expect(changes).toEqual(['/project/l/b.txt'])
})

test('a watch on a link out of the roots is refused', async () => {
  await link('/project/l', '/other')
  expect(await failure(confined.watch?.('/project/l', () => {}))).toBe('OUTSIDE /project/l')
})

test('a path that becomes a link between the check and the act is checked again', async () => {
  let swapped = false
  const racing: FileSystem = {
    ...withoutFacets(tree),
    async readFile(path, range) {
      if (!swapped) {
        swapped = true
        await tree.remove('/project/a.txt')
        await tree.symlink?.('/other/secret.txt', '/project/a.txt')
      }
      return tree.readFile(path, range)
    },
  }
  const raced = confine(racing, { roots: [{ path: '/project', access: 'read-write' }] })
  expect(await failure(raced.readFile('/project/a.txt'))).toBe('OUTSIDE /project/a.txt')
})

test('a path that is a link on every access, but never when it is checked, is rejected', async () => {
  const fickle: FileSystem = {
    ...withoutFacets(tree),
    readFile: (path) => Promise.reject(new FsError('IS_LINK', { path })),
  }
  const raced = confine(fickle, { roots: [{ path: '/project', access: 'read-write' }] })
  expect(await failure(raced.readFile('/project/a.txt'))).toBe('IS_LINK /project/a.txt')
})

function outcome(run: () => string): string {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof FsError) return thrown.code
    throw thrown
  }
}

async function error(call: Promise<unknown> | undefined): Promise<FsError | undefined> {
  try {
    await call
    return undefined
  } catch (thrown) {
    if (thrown instanceof FsError) return thrown
    throw thrown
  }
}

/** Code and path of what went wrong; `done` when nothing did. */
async function failure(call: Promise<unknown> | undefined): Promise<string> {
  return (await error(call))?.message.replace(': ', ' ') ?? 'done'
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}

function text(content: Uint8Array): string {
  return new TextDecoder().decode(content)
}
