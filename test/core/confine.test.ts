import { beforeEach, describe, expect, test } from 'vitest'
import { FsError } from '../../src/errors.js'
import { type ConfinedFileSystem, type ConfineOptions, confine } from '../../src/fs/confine.js'
import { memory } from '../../src/fs/memory.js'
import type { Protection } from '../../src/fs/protect.js'
import type { FileSystem } from '../../src/fs/types.js'

let tree: FileSystem
let confined: ConfinedFileSystem

beforeEach(() => {
  tree = memory({
    '/work/a.txt': 'alpha',
    '/work/sub/b.txt': 'beta',
    '/work/.git/config': '[core]',
    '/work/.mcp.json': '{}',
    '/other/secret.txt': 'secret',
  })
  confined = confineTo(['/work'])
})

function confineTo(paths: [string, ...string[]], options: Omit<ConfineOptions, 'roots'> = {}): ConfinedFileSystem {
  const [first, ...rest] = paths
  return confine(tree, {
    ...options,
    roots: [{ path: first, access: 'read-write' }, ...rest.map((path) => ({ path, access: 'read-write' as const }))],
  })
}

async function link(path: string, target: string): Promise<void> {
  await tree.symlink?.(target, path)
}

describe('resolve', () => {
  test.each([
    ['a.txt', '/work/a.txt'],
    ['./sub//b.txt', '/work/sub/b.txt'],
    ['sub/../a.txt', '/work/a.txt'],
    ['', 'INVALID_PATH'],
    ['.', '/work'],
    ['/work', '/work'],
    ['/work/', '/work'],
    ['/other/../work/a.txt', '/work/a.txt'],
    ['../work/a.txt', '/work/a.txt'],
    ['no/such/file', '/work/no/such/file'],
    ['~/a', '/work/~/a'],
    ['..', 'OUTSIDE'],
    ['../other/secret.txt', 'OUTSIDE'],
    ['/other', 'OUTSIDE'],
    ['/workshop', 'OUTSIDE'],
    ['/work ', 'OUTSIDE'],
    ['/WORK/a.txt', 'OUTSIDE'],
    ['/', 'OUTSIDE'],
    ['../../../../work/a.txt', 'OUTSIDE'],
    ['a\0', 'INVALID_PATH'],
  ])('takes %j for %s', (input, expected) => {
    expect(outcome(() => confined.resolve(input))).toBe(expected)
  })

  test('counts from the base it is given, which does not widen what may be reached', () => {
    expect(confined.resolve('b.txt', '/work/sub')).toBe('/work/sub/b.txt')
    expect(confined.resolve('../a.txt', '/work/sub')).toBe('/work/a.txt')
    expect(outcome(() => confined.resolve('../../other', '/work/sub'))).toBe('OUTSIDE')
    expect(outcome(() => confined.resolve('secret.txt', '/other'))).toBe('OUTSIDE')
  })

  test('counts from the first root when there are several', () => {
    const both = confineTo(['/work', '/other'])
    expect(both.resolve('x')).toBe('/work/x')
    expect(both.resolve('../other/x')).toBe('/other/x')
  })

  test('names a root by its alias, and only by that', () => {
    const aliased = confine(tree, { roots: [{ path: '/work', access: 'read-write', aliases: ['/home/me/link'] }] })
    expect(aliased.resolve('/home/me/link')).toBe('/work')
    expect(aliased.resolve('/home/me/link/sub/b.txt')).toBe('/work/sub/b.txt')
    expect(outcome(() => aliased.resolve('/home/me/linked'))).toBe('OUTSIDE')
    expect(outcome(() => aliased.resolve('/home/me/link/../x'))).toBe('OUTSIDE')
    expect(outcome(() => aliased.resolve('/home/me'))).toBe('OUTSIDE')
  })

  test('compares roots without case where the file system does', () => {
    const insensitive = confine(
      { ...tree, capabilities: { ...tree.capabilities, caseSensitive: false } },
      { roots: [{ path: '/work', access: 'read-write' }] },
    )
    expect(insensitive.resolve('/WORK/a.txt')).toBe('/WORK/a.txt')
    expect(outcome(() => insensitive.resolve('/OTHER'))).toBe('OUTSIDE')
  })
})

describe('links', () => {
  test('are followed inside a root, relative or absolute, in the middle or at the end', async () => {
    await link('/work/to-file', 'sub/b.txt')
    await link('/work/to-directory', '/work/sub')
    await link('/work/sub/up', '..')
    await link('/work/chain', 'to-directory')
    for (const path of ['/work/to-file', '/work/to-directory/b.txt', '/work/sub/up/sub/b.txt', '/work/chain/b.txt']) {
      expect(text(await confined.readFile(path)), path).toBe('beta')
      expect(await confined.realPath(path), path).toBe('/work/sub/b.txt')
    }
    expect(await confined.readDir('/work/chain')).toEqual(await tree.readDir('/work/sub'))
  })

  test('are written through, and stay links', async () => {
    await link('/work/l', 'sub/b.txt')
    await confined.writeFile('/work/l', bytes('changed'))
    expect(text(await tree.readFile('/work/sub/b.txt'))).toBe('changed')
    expect((await tree.stat('/work/l')).kind).toBe('symlink')
  })

  test('that dangle inside a root are filled where they lead', async () => {
    await link('/work/l', 'sub/new.txt')
    await confined.writeFile('/work/l', bytes('new'))
    expect(text(await tree.readFile('/work/sub/new.txt'))).toBe('new')
  })

  test('are meant themselves when described, moved, removed or taken for free', async () => {
    await link('/work/l', 'a.txt')
    expect((await confined.stat('/work/l')).kind).toBe('symlink')
    expect(await confined.readLink?.('/work/l')).toBe('a.txt')
    expect(await failure(confined.writeFile('/work/l', bytes('x'), { exclusive: true }))).toBe('EXISTS /work/l')
    expect(await failure(confined.makeDir('/work/l'))).toBe('EXISTS /work/l')
    await confined.rename('/work/l', '/work/sub/l')
    expect((await tree.stat('/work/sub/l')).kind).toBe('symlink')
    await confined.remove('/work/sub/l')
    expect(text(await tree.readFile('/work/a.txt'))).toBe('alpha')
  })

  const waysOut: Record<string, string> = {
    'an absolute link': '/other',
    'a relative link': '../other',
    'a link over a detour': 'sub/../../other',
    'a link above the top': '../../../../other',
    'a link to the directory that holds the root': '..',
    'a link that comes back in': '/other/../work/sub',
  }
  for (const [what, target] of Object.entries(waysOut)) {
    test(`${what} out of the roots (${target}) is refused, whatever is asked`, async () => {
      await link('/work/l', target)
      const calls: Record<string, Promise<unknown>> = {
        '/work/l/secret.txt': confined.readFile('/work/l/secret.txt'),
        '/work/l': confined.readDir('/work/l'),
        '/work/l/new.txt': confined.writeFile('/work/l/new.txt', bytes('x')),
        '/work/l/new': confined.makeDir('/work/l/new'),
        '/work/l/./secret.txt': confined.stat('/work/l/./secret.txt'),
        '/work/l//secret.txt': confined.remove('/work/l//secret.txt'),
      }
      for (const [path, call] of Object.entries(calls)) expect(await failure(call)).toBe(`OUTSIDE ${path}`)
      expect(await failure(confined.rename('/work/l/secret.txt', '/work/x'))).toBe('OUTSIDE /work/l/secret.txt')
      expect(await failure(confined.rename('/work/a.txt', '/work/l/x'))).toBe('OUTSIDE /work/l/x')
      expect(await failure(confined.realPath('/work/l'))).toBe('OUTSIDE /work/l')
      expect(await tree.readDir('/other')).toEqual([{ name: 'secret.txt', kind: 'file' }])
    })
  }

  test('that dangle outside the roots are not filled', async () => {
    await link('/work/l', '/other/new.txt')
    expect(await failure(confined.writeFile('/work/l', bytes('x')))).toBe('OUTSIDE /work/l')
    expect(await tree.readDir('/other')).toEqual([{ name: 'secret.txt', kind: 'file' }])
  })

  test('say the same of what exists outside and what does not', async () => {
    await link('/work/there', '/other/secret.txt')
    await link('/work/not-there', '/other/nothing.txt')
    expect(await failure(confined.readFile('/work/there'))).toBe('OUTSIDE /work/there')
    expect(await failure(confined.readFile('/work/not-there'))).toBe('OUTSIDE /work/not-there')
  })

  test('may lead from one root into another', async () => {
    await link('/work/l', '/other/secret.txt')
    expect(text(await confineTo(['/work', '/other']).readFile('/work/l'))).toBe('secret')
  })

  test('that never end are told of', async () => {
    await link('/work/self', 'self')
    await link('/work/ping', 'pong')
    await link('/work/pong', 'ping')
    await link('/work/grow', 'grow/more')
    for (const path of ['/work/self', '/work/ping', '/work/pong/x', '/work/grow']) {
      expect(await failure(confined.readFile(path))).toBe(`LINK_LOOP ${path}`)
      expect(await failure(confined.writeFile(path, bytes('x')))).toBe(`LINK_LOOP ${path}`)
    }
  })

  test('are followed 40 times and no more', async () => {
    await link('/work/l1', 'a.txt')
    for (let index = 2; index <= 41; index += 1) await link(`/work/l${index}`, `l${index - 1}`)
    expect(text(await confined.readFile('/work/l40'))).toBe('alpha')
    expect(await failure(confined.readFile('/work/l41'))).toBe('LINK_LOOP /work/l41')
  })

  test('are made only to places inside, and their target is told only when it is inside', async () => {
    await confined.symlink?.('../a.txt', '/work/sub/l')
    expect(await confined.readLink?.('/work/sub/l')).toBe('../a.txt')
    expect(await failure(confined.symlink?.('../../other', '/work/sub/m'))).toBe('OUTSIDE /work/sub/m')
    expect(await failure(confined.symlink?.('/other/secret.txt', '/work/m'))).toBe('OUTSIDE /work/m')
    await link('/work/out', '/other/secret.txt')
    expect(await failure(confined.readLink?.('/work/out'))).toBe('OUTSIDE /work/out')
  })
})

describe('rights', () => {
  const changes: Record<string, (fs: ConfinedFileSystem) => Promise<unknown> | undefined> = {
    '/work/a.txt': (fs) => fs.writeFile('/work/a.txt', bytes('x')),
    '/work/new': (fs) => fs.makeDir('/work/new'),
    '/work/sub/b.txt': (fs) => fs.remove('/work/sub/b.txt'),
    '/work/./a.txt': (fs) => fs.rename('/work/./a.txt', '/work/b.txt'),
    '/work/l': (fs) => fs.symlink?.('a.txt', '/work/l'),
    '/work/sub/../a.txt': (fs) => fs.setMode?.('/work/sub/../a.txt', 0o600),
    '/work/sub/.././a.txt': (fs) => fs.setModified?.('/work/sub/.././a.txt', 0),
  }

  test('a read-only root is read and never changed', async () => {
    const readOnly = confine(tree, { roots: [{ path: '/work', access: 'read-only' }] })
    expect(text(await readOnly.readFile('/work/a.txt'))).toBe('alpha')
    for (const [path, change] of Object.entries(changes))
      expect(await failure(change(readOnly))).toBe(`READ_ONLY ${path}`)
    expect(readOnly.capabilities.writable).toBe(false)
  })

  test('of nested roots the inner decides, whichever is named first', async () => {
    const outer = { path: '/work', access: 'read-write' } as const
    const inner = { path: '/work/sub', access: 'read-only' } as const
    for (const roots of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      const nested = confine(tree, { roots })
      await nested.writeFile('/work/a.txt', bytes('changed'))
      expect(await failure(nested.writeFile('/work/sub/b.txt', bytes('x')))).toBe('READ_ONLY /work/sub/b.txt')
      expect(nested.rootOf('/work/sub/b.txt')).toEqual(inner)
      expect(nested.rootOf('/work/subway')).toEqual(outer)
    }
  })

  test('a read-write root in a read-only one is written', async () => {
    const nested = confine(tree, {
      roots: [
        { path: '/work', access: 'read-only' },
        { path: '/work/sub', access: 'read-write' },
      ],
    })
    await nested.writeFile('/work/sub/b.txt', bytes('changed'))
    expect(await failure(nested.writeFile('/work/a.txt', bytes('x')))).toBe('READ_ONLY /work/a.txt')
    expect(await failure(nested.rename('/work/sub/b.txt', '/work/b.txt'))).toBe('READ_ONLY /work/b.txt')
    expect(await failure(nested.rename('/work/a.txt', '/work/sub/a.txt'))).toBe('READ_ONLY /work/a.txt')
  })

  test('a link does not lend the right of the place it lies in', async () => {
    await link('/work/l', 'sub/b.txt')
    const nested = confine(tree, {
      roots: [
        { path: '/work', access: 'read-write' },
        { path: '/work/sub', access: 'read-only' },
      ],
    })
    expect(await failure(nested.writeFile('/work/l', bytes('x')))).toBe('READ_ONLY /work/l')
    expect(text(await tree.readFile('/work/sub/b.txt'))).toBe('beta')
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
    for (const path of [`/work/${name}/config`, `/work/${name}`, `/work/sub/${name}/hooks/x`]) {
      const calls = [
        confined.writeFile(path, bytes('x')),
        confined.makeDir(path),
        confined.remove(path),
        confined.rename(path, '/work/x'),
        confined.rename('/work/a.txt', path),
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
      await confined.writeFile(`/work/${name}`, bytes('x'))
      expect(text(await tree.readFile(`/work/${name}`))).toBe('x')
    },
  )

  test('are read, listed and described', async () => {
    expect(text(await confined.readFile('/work/.git/config'))).toBe('[core]')
    expect(await confined.readDir('/work/.git')).toEqual([{ name: 'config', kind: 'file' }])
    expect((await confined.stat('/work/.git')).kind).toBe('directory')
  })

  test('are protected behind a link too', async () => {
    await link('/work/l', '.git')
    await link('/work/sub/config', '../.git/config')
    expect(await failure(confined.writeFile('/work/l/config', bytes('x')))).toBe('PROTECTED /work/l/config')
    expect(await failure(confined.writeFile('/work/sub/config', bytes('x')))).toBe('PROTECTED /work/sub/config')
    expect(await failure(confined.makeDir('/work/l/hooks'))).toBe('PROTECTED /work/l/hooks')
    expect(await failure(confined.rename('/work/a.txt', '/work/l/config'))).toBe('PROTECTED /work/l/config')
    expect(text(await tree.readFile('/work/.git/config'))).toBe('[core]')
  })

  test('are not made by moving a directory to their place', async () => {
    await confined.makeDir('/work/prepared')
    expect(await failure(confined.rename('/work/prepared', '/work/sub/.git'))).toBe('PROTECTED /work/sub/.git')
  })

  const cases: [string, Protection | undefined, string][] = [
    ['/work/.git/config', undefined, 'PROTECTED'],
    ['/work/.git/config', { git: false }, 'done'],
    ['/work/.mcp.json', undefined, 'done'],
    ['/work/.mcp.json', { config: true }, 'PROTECTED'],
    ['/work/.MCP.json', { config: true }, 'PROTECTED'],
    ['/work/.vscode', { config: true }, 'PROTECTED'],
    ['/work/.Claude.', { config: true }, 'PROTECTED'],
    ['/work/.envrc', { config: true, git: false }, 'PROTECTED'],
    ['/work/sub/.mcp.json', { config: true }, 'done'],
    ['/work/sub/.vscode', { config: true }, 'done'],
    ['/work/vscode', { config: true }, 'done'],
  ]
  test.each(cases)('writing %s with protect %j: %s', async (path, protect, expected) => {
    const guarded = confineTo(['/work'], protect === undefined ? {} : { protect })
    const result = await error(guarded.writeFile(path, bytes('x')))
    expect(result?.code ?? 'done').toBe(expected)
  })

  test('configuration is protected at the top of each root', async () => {
    const guarded = confineTo(['/work', '/work/sub'], { protect: { config: true } })
    expect(await failure(guarded.writeFile('/work/sub/.mcp.json', bytes('x')))).toBe('PROTECTED /work/sub/.mcp.json')
  })
})

describe('roots', () => {
  test('are neither moved, replaced nor removed, nor is what holds one', async () => {
    const nested = confineTo(['/work', '/work/sub/inner'])
    await tree.makeDir('/work/sub/inner')
    for (const path of ['/work', '/work/sub', '/work/sub/inner']) {
      expect(await failure(nested.remove(path))).toBe(`IS_ROOT ${path}`)
      expect(await failure(nested.rename(path, '/work/moved'))).toBe(`IS_ROOT ${path}`)
      expect(await failure(nested.rename('/work/a.txt', path))).toBe(`IS_ROOT ${path}`)
    }
  })

  test('are recognised behind a link', async () => {
    await link('/work/up', '..')
    expect((await confined.stat('/work/up/work')).kind).toBe('directory')
    expect(await failure(confined.remove('/work/up/work'))).toBe('IS_ROOT /work/up/work')
    expect(await failure(confined.rename('/work/up/work', '/work/x'))).toBe('IS_ROOT /work/up/work')
    expect(await failure(confined.rename('/work/sub', '/work/up/work'))).toBe('IS_ROOT /work/up/work')
  })

  test('are listed and described', async () => {
    expect((await confined.stat('/work')).kind).toBe('directory')
    expect((await confined.readDir('/work')).map(({ name }) => name).sort()).toEqual([
      '.git',
      '.mcp.json',
      'a.txt',
      'sub',
    ])
  })

  test('are told of as they were given', () => {
    expect(confined.roots).toEqual([{ path: '/work', access: 'read-write' }])
  })
})

describe('errors', () => {
  test('carry the path as it was given, not the one behind a link', async () => {
    await link('/work/l', 'sub')
    expect(await failure(confined.readFile('/work/l/none.txt'))).toBe('NOT_FOUND /work/l/none.txt')
    expect(await failure(confined.readFile('l/../l/none.txt'))).toBe('NOT_FOUND l/../l/none.txt')
    expect(await failure(confined.readDir('/work/l/b.txt'))).toBe('NOT_A_DIRECTORY /work/l/b.txt')
    expect(await failure(confined.readFile('/work/l/'))).toBe('IS_A_DIRECTORY /work/l/')
    expect(await failure(confined.makeDir('/work/l/b.txt'))).toBe('EXISTS /work/l/b.txt')
    expect(await failure(confined.remove('/work/l/../sub'))).toBe('NOT_EMPTY /work/l/../sub')
  })

  test('of a rename name the end that is at fault', async () => {
    await link('/work/l', 'sub')
    expect(await failure(confined.rename('/work/l/none', '/work/x'))).toBe('NOT_FOUND /work/l/none')
    expect(await failure(confined.rename('/work/a.txt', '/work/none/x'))).toBe('NOT_FOUND /work/none/x')
    expect(await failure(confined.rename('/other/secret.txt', '/work/x'))).toBe('OUTSIDE /other/secret.txt')
    expect(await failure(confined.rename('/work/a.txt', '/other/x'))).toBe('OUTSIDE /other/x')
    expect(await error(confined.rename('/work/sub', '/work/l/x'))).toEqual(
      new FsError('INTO_ITSELF', { path: '/work/sub', to: '/work/l/x' }),
    )
    expect(text(await tree.readFile('/work/a.txt'))).toBe('alpha')
  })
})

test('a watch through a link tells of changes under the name it was asked for', async () => {
  await link('/work/l', 'sub')
  const changes: string[] = []
  const unwatch = await confined.watch?.('/work/l', ({ path }) => changes.push(path))
  await tree.writeFile('/work/sub/b.txt', bytes('changed'))
  unwatch?.()
  await tree.writeFile('/work/sub/b.txt', bytes('changed again'))
  expect(changes).toEqual(['/work/l/b.txt'])
})

test('a watch on a link out of the roots is refused', async () => {
  await link('/work/l', '/other')
  expect(await failure(confined.watch?.('/work/l', () => {}))).toBe('OUTSIDE /work/l')
})

test('a path that becomes a link between the check and the act is checked again', async () => {
  let swapped = false
  const racing: FileSystem = {
    ...tree,
    async readFile(path, range) {
      if (!swapped) {
        swapped = true
        await tree.remove('/work/a.txt')
        await tree.symlink?.('/other/secret.txt', '/work/a.txt')
      }
      return tree.readFile(path, range)
    },
  }
  const raced = confine(racing, { roots: [{ path: '/work', access: 'read-write' }] })
  expect(await failure(raced.readFile('/work/a.txt'))).toBe('OUTSIDE /work/a.txt')
})

test('a path that is a link each time it is acted on, and none each time it is looked at, is given up', async () => {
  const fickle: FileSystem = {
    ...tree,
    readFile: (path) => Promise.reject(new FsError('IS_LINK', { path })),
  }
  const raced = confine(fickle, { roots: [{ path: '/work', access: 'read-write' }] })
  expect(await failure(raced.readFile('/work/a.txt'))).toBe('IS_LINK /work/a.txt')
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
