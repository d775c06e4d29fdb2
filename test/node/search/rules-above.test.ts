import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type DirectoryWorkspaceOptions, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { openOverlayWorkspace } from '../../../node/workspace/overlay-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { fs as fsDialect } from '../../../src/dialects/fs/tools.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { directoryTree } from '../../../src/ops/directory-tree.js'
import { findFiles } from '../../../src/ops/find-files.js'
import { searchText } from '../../../src/ops/search-text.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { sample } from '../../scale.js'
import { built } from '../cli/built.js'
import { generator, pick, plant, type Random, write } from './generated-rules.js'

/** Git and ripgrep are the judges: every directory of generated repositories is opened as a root of its own. */

let scratch: string
let environment: NodeJS.ProcessEnv
beforeAll(() => {
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-above-')))
  write(scratch, 'home/.config/git/ignore', '*.global\n/b\n/tree-1/a\n!y.log\n')
  vi.stubEnv('XDG_CONFIG_HOME', path.join(scratch, 'home/.config'))
  vi.stubEnv('HOME', path.join(scratch, 'home'))
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1')
  environment = { ...process.env }
})
afterAll(() => {
  vi.unstubAllEnvs()
  fs.rmSync(scratch, { recursive: true, force: true })
})

const quiet = { durable: false, commands: false } as const

async function opened<Value>(
  directory: string,
  use: (workspace: Workspace) => Promise<Value>,
  options: DirectoryWorkspaceOptions = { searchThreads: 0 },
): Promise<Value> {
  const workspace = await openDirectories([{ directory, access: 'read-write' }], { ...quiet, ...options })
  try {
    return await use(workspace)
  } finally {
    workspace.close()
  }
}

async function filesIn(workspace: Workspace, input: object = { ignore: {}, exclude: ['.git'] }): Promise<string[]> {
  const { entries } = await workspace.run(findFiles, { sortBy: 'path', ...input })
  return entries.map((entry) => entry.path)
}

function git(directory: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: directory, env: environment, encoding: 'utf8' })
}

function directoriesIn(root: string, prefix = ''): string[] {
  return fs.readdirSync(path.join(root, prefix), { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name === '.git') return []
    return [`${prefix}${entry.name}`, ...directoriesIn(root, `${prefix}${entry.name}/`)]
  })
}

describe('at every directory of a generated repository', () => {
  for (const seed of sample([1, 2, 3, 4, 5, 6], { every: 3 })) {
    test(`what git lists is found (seed ${seed})`, async () => {
      const random = generator(seed)
      const repository = path.join(scratch, `git-${seed}`)
      for (let tree = 0; tree < 6; tree += 1) plant(path.join(repository, `tree-${tree}`), random)
      write(repository, '.gitignore', 'y.*\n!tree-*/y.log\n/tree-*/foobar/*\n*.o\n!tree-3/**/x.o\n')
      git(repository, 'init', '-q')
      write(repository, '.git/info/exclude', '*.exclude\n/tree-[0-3]*/ab/\n.hid\n')

      let compared = 0
      for (const directory of directoriesIn(repository)) {
        // Git lists nothing in an ignored directory; here the root itself is never ignored.
        if (isIgnored(repository, directory)) continue
        const root = path.join(repository, directory)
        const listed = git(root, 'ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean).sort()
        expect([directory, await opened(root, filesIn)]).toEqual([directory, listed])
        compared += listed.length
      }
      expect(compared).toBeGreaterThan(50)
    })
  }

  /** Without patterns that ripgrep 13 and git read differently. */
  const plain = ['*.o', 'foo', '/foo', 'a/', '/bar/', 'foo*', '!x.o', '!foo.txt', '*.log', 'ab/**', '**/a.b', 'foo/bar']

  for (const seed of sample([1, 2, 3, 4, 5, 6], { every: 3 })) {
    test(`what ripgrep lists is found, with the files .ignore (seed ${seed})`, async () => {
      const random = generator(seed)
      const repository = path.join(scratch, `rg-${seed}`)
      plant(repository, random)
      for (const directory of ['', ...directoriesIn(repository)]) {
        fs.rmSync(path.join(repository, directory, '.gitignore'), { force: true, recursive: true })
        if (random(2) === 0) write(repository, `${directory}/.gitignore`, rules(random))
        if (random(2) === 0) write(repository, `${directory}/.ignore`, rules(random))
      }
      // Ripgrep reads the user's rules as if they were in the directory it is started in.
      vi.stubEnv('XDG_CONFIG_HOME', path.join(scratch, 'home/rg'))
      write(scratch, 'home/rg/git/ignore', 'bar\n')
      if (seed % 2 === 0) git(repository, 'init', '-q')
      if (seed % 2 === 0) write(repository, '.git/info/exclude', 'k.exclude\n')

      for (const directory of ['', ...directoriesIn(repository)]) {
        const root = path.join(repository, directory)
        const listed = ripgrep(root)
        const input = { ignore: { dotIgnore: true, git: 'in-repository' }, hidden: true, exclude: ['.git'] }
        expect([directory, await opened(root, (workspace) => filesIn(workspace, input))]).toEqual([directory, listed])
      }
    })
  }

  function rules(random: Random): string {
    return Array.from({ length: 1 + random(3) }, () => `${pick(plain, random)}\n`).join('')
  }

  function ripgrep(directory: string): string[] {
    try {
      const args = ['--files', '--hidden', '--no-config', '--glob', '!.git']
      const output = execFileSync('rg', args, { cwd: directory, env: process.env, encoding: 'utf8' })
      return output.split('\n').filter(Boolean).sort()
    } catch (error) {
      // Exit code 1: no files.
      if ((error as { status?: number }).status === 1) return []
      throw error
    }
  }

  function isIgnored(repository: string, name: string): boolean {
    try {
      git(repository, 'check-ignore', '-q', '--no-index', `${name}/`)
      return true
    } catch (error) {
      if ((error as { status?: number }).status === 1) return false
      throw error
    }
  }
})

describe('a package of a repository', () => {
  function plantPackage(name: string): { repository: string; root: string } {
    const repository = path.join(scratch, name)
    const root = path.join(repository, 'packages/app')
    write(repository, '.gitignore', '*.log\nnode_modules/\n')
    for (const file of ['a.ts', 'a.log', 'node_modules/m/index.js', 'src/b.ts', 'src/b.log', 'k.x']) {
      write(root, file, 'text\n')
    }
    git(repository, 'init', '-q')
    return { repository, root }
  }

  test('is walked and searched by the same rules, also in threads and with an overlay', async () => {
    const { root } = plantPackage('package')
    for (let i = 0; i < 1400; i += 1) write(root, `many/d${i}/${i % 2 === 0 ? 'c.ts' : 'c.log'}`, 'text\n')
    const expected = ['a.ts', 'k.x', 'src/b.ts', ...filesOfMany()].sort()
    expect(await opened(root, filesIn)).toEqual(expected)
    expect(await opened(root, filesIn, { searchThreads: 2, searchWorker: built('node/search-worker.js') })).toEqual(
      expected,
    )
    await opened(root, async (workspace) => {
      const request = { matcher: { pattern: 'text', syntax: 'literal' as const }, mode: 'files' as const }
      const { files } = await workspace.run(searchText, { ignore: {}, request })
      expect(files.map(({ path: file }) => path.relative(root, file)).sort()).toEqual(expected)
      const { tree } = await workspace.run(directoryTree, { ignore: {}, maxDepth: 1 })
      expect(tree.children?.map(({ name }) => name)).toEqual(['a.ts', 'k.x', 'many', 'src'])
    })
    const overlaid = openOverlayWorkspace([{ directory: root, access: 'read-write' }])
    expect(await filesIn(overlaid)).toEqual(expected)
    overlaid.close()

    function filesOfMany(): string[] {
      return Array.from({ length: 700 }, (_, i) => `many/d${2 * i}/c.ts`)
    }
  })

  test('shows each dialect the same files', async () => {
    const { root } = plantPackage('dialects')
    await opened(root, async (workspace) => {
      const say = async (dialect: Dialect, tool: string, args: object) => {
        const [first] = (await callTool(workspace, dialect, tool, args)).content
        return first?.type === 'text' ? first.text : ''
      }
      const answers = [
        await say(clarvis, 'glob', { pattern: '**' }),
        await say(clarvis, 'grep', { pattern: 'text' }),
        await say(fsDialect, 'fs.list_files', {}),
        await say(fsDialect, 'fs.search_text', { query: 'text' }),
        await say(polyfs, 'glob', { pattern: '**/*' }),
        await say(polyfs, 'grep', { pattern: 'text' }),
        await say(polyfs, 'list_dir', { depth: 3 }),
      ]
      for (const answer of answers) {
        expect(answer).toMatch(/a\.ts/)
        expect(answer).not.toMatch(/\.log|index\.js/)
      }
      const all = await say(clarvis, 'glob', { pattern: '**/*.log', respect_gitignore: false })
      expect(all.split('\n').sort()).toEqual(['a.log', 'src/b.log'])
      expect(await say(polyfs, 'workspace', {})).toContain('the rules of the repository above')
      expect(await say(polyfs, 'workspace', {})).not.toContain('packages/.git')
    })
  })

  test('notices at once that rules above have changed', async () => {
    const { repository, root } = plantPackage('changing')
    await opened(root, async (workspace) => {
      expect(await filesIn(workspace)).toEqual(['a.ts', 'k.x', 'src/b.ts'])
      write(repository, '.gitignore', '*.ts\n')
      write(repository, '.git/info/exclude', '*.x\n')
      expect(await filesIn(workspace)).toEqual(['a.log', 'node_modules/m/index.js', 'src/b.log'])
      fs.rmSync(path.join(repository, '.git'), { recursive: true })
      expect(await filesIn(workspace)).toHaveLength(6)
    })
  })

  test('that is a repository of its own has its own rules', async () => {
    const { repository, root } = plantPackage('own')
    git(root, 'init', '-q')
    expect(await opened(root, filesIn)).toContain('a.log')
    expect(await opened(path.join(repository, 'packages'), filesIn)).toContain('app/a.log')
  })

  test('that is a linked worktree heeds info/exclude of its repository, if that one knows it', async () => {
    const { repository } = plantPackage('main')
    git(repository, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
    const worktree = path.join(scratch, 'worktree')
    git(repository, 'worktree', 'add', '-q', worktree)
    write(repository, '.git/info/exclude', '*.secret\n')
    for (const file of ['a.ts', 'a.secret', 'sub/b.ts', 'sub/b.secret']) write(worktree, file, '')
    expect(await opened(worktree, filesIn)).toEqual(['a.ts', 'sub/b.ts'])
    expect(await opened(path.join(worktree, 'sub'), filesIn)).toEqual(['b.ts'])
    const stranger = path.join(scratch, 'stranger')
    write(stranger, '.git', fs.readFileSync(path.join(worktree, '.git'), 'utf8'))
    for (const file of ['a.ts', 'a.secret']) write(stranger, file, '')
    expect(await opened(stranger, filesIn)).toEqual(['a.secret', 'a.ts'])
  })

  test('is not kept waiting by what is not an ordinary file, and reads a large one in part', async () => {
    const { repository, root } = plantPackage('special')
    const file = path.join(repository, '.gitignore')
    const replace = (how: () => void): void => {
      fs.rmSync(file, { recursive: true, force: true })
      how()
    }
    const rules = path.join(scratch, 'rules')
    fs.writeFileSync(rules, '*\n')
    for (const how of [
      () => execFileSync('mkfifo', [file]),
      () => fs.symlinkSync(rules, file),
      () => fs.symlinkSync('/dev/zero', file),
      () => fs.mkdirSync(file),
      () => fs.symlinkSync('.gitignore', file),
    ]) {
      replace(how)
      expect(await opened(root, filesIn)).toHaveLength(6)
    }
    replace(() => fs.writeFileSync(file, `*.log\n${'#\n'.repeat(3_000_000)}*.ts\n`))
    expect(await opened(root, filesIn)).toEqual(['a.ts', 'k.x', 'node_modules/m/index.js', 'src/b.ts'])
  })

  test('is opened below directories that may not be read', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read every file')
    const { repository, root } = plantPackage('unreadable')
    fs.chmodSync(path.join(repository, '.gitignore'), 0)
    expect(await opened(root, filesIn)).toHaveLength(6)
  })
})

test('in memory, the rules above a root are those of the same file system', async () => {
  const fs = memory({
    '/repo/.git/HEAD': '',
    '/repo/.gitignore': '*.log\n',
    '/repo/.git/info/exclude': '*.x\n',
    '/repo/.ignore': '*.y\n',
    '/repo/packages/.gitignore': '!keep.log\n',
    '/repo/packages/app/a.ts': '',
    '/repo/packages/app/a.log': '',
    '/repo/packages/app/keep.log': '',
    '/repo/packages/app/a.x': '',
    '/repo/packages/app/a.y': '',
  })
  const whole = createWorkspace({ fs })
  const root = createWorkspace({ fs, roots: [{ path: '/repo/packages/app', access: 'read-write' }] })
  const narrowed = await whole.narrow(['/repo/packages/app'])
  for (const workspace of [root, narrowed]) {
    expect(await filesIn(workspace)).toEqual(['a.ts', 'a.y', 'keep.log'])
    expect(await filesIn(workspace, { ignore: { dotIgnore: true } })).toEqual(['a.ts', 'keep.log'])
    expect(await filesIn(workspace, { ignore: { git: 'never' } })).toHaveLength(5)
    expect(await filesIn(workspace, {})).toHaveLength(5)
  }
})
