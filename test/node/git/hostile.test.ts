import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitBranch, gitBranches } from '../../../src/ops/git/branch.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitClone } from '../../../src/ops/git/clone.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitInit } from '../../../src/ops/git/init.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { gitShow } from '../../../src/ops/git/show.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { gitEnvironment, openStage, type Stage } from './real-git.js'

let template: Stage
let stage: Stage
beforeAll(async () => {
  template = await openStage()
  template.write('a.txt', 'a\n')
  template.git('add', '.')
  template.git('commit', '-qm', 'first')
  template.git('branch', 'other')
})
afterAll(() => template.close())
beforeEach(async () => {
  stage = await openStage({ from: template })
})
afterEach(() => stage.close())

describe('nothing a repository names is ever run', () => {
  const script = '.git/run.sh'

  /** A setting of the repository, and a git command that runs it. */
  const vectors: Record<string, { config?: string; files?: Record<string, string>; git: string[] }> = {
    'core.fsmonitor': { config: '[core]\nfsmonitor = RUN', git: ['status'] },
    'include.path': {
      config: '[include]\npath = included',
      files: { '.git/included': '[core]\nfsmonitor = RUN' },
      git: ['status'],
    },
    'diff.external': { config: '[diff]\nexternal = RUN', git: ['diff'] },
    textconv: { config: '[diff "x"]\ntextconv = RUN', files: { '.gitattributes': '* diff=x\n' }, git: ['diff'] },
    'filter.clean': {
      config: '[filter "x"]\nclean = RUN; cat',
      files: { '.gitattributes': '* filter=x\n' },
      git: ['add', '.'],
    },
    'filter.smudge': {
      config: '[filter "x"]\nsmudge = RUN; cat',
      files: { '.gitattributes': '* filter=x\n' },
      git: ['checkout', 'a.txt'],
    },
    'filter.process': {
      config: '[filter "x"]\nprocess = RUN',
      files: { '.gitattributes': '* filter=x\n' },
      git: ['add', '.'],
    },
    'pre-commit': { files: { '.git/hooks/pre-commit': '#!/bin/sh\nexec RUN' }, git: ['commit', '-am', 'x'] },
    'post-checkout': { files: { '.git/hooks/post-checkout': '#!/bin/sh\nexec RUN' }, git: ['checkout', '-f', 'other'] },
    'core.hooksPath': {
      config: '[core]\nhooksPath = .git/mine',
      files: { '.git/mine/pre-commit': '#!/bin/sh\nexec RUN' },
      git: ['commit', '-am', 'x'],
    },
    alias: { config: '[alias]\nst = "!RUN"', git: ['st'] },
    'gpg.program': { config: '[commit]\ngpgSign = true\n[gpg]\nprogram = RUN', git: ['commit', '-am', 'x'] },
    'core.editor': { config: '[core]\neditor = RUN', git: ['commit', '-a'] },
    'core.sshCommand': {
      config: '[core]\nsshCommand = RUN\n[remote "origin"]\nurl = ssh://example.invalid/x\n',
      git: ['fetch', 'origin'],
    },
    'uploadpack and ext::': {
      config: '[protocol "ext"]\nallow = always\n[remote "origin"]\nurl = "ext::RUN x"\n',
      git: ['fetch', 'origin'],
    },
  }

  test.each(Object.entries(vectors))('%s', async (_name, { config = '', files = {}, git }) => {
    const marker = path.join(stage.directory, '.git/was-run')
    const run = path.join(stage.directory, script)
    stage.write(script, `#!/bin/sh\ntouch ${marker}\n`)
    fs.chmodSync(run, 0o755)
    fs.appendFileSync(path.join(stage.directory, '.git/config'), `${config.replaceAll('RUN', run)}\n`)
    for (const [name, text] of Object.entries(files)) {
      stage.write(name, text.replaceAll('RUN', run))
      fs.chmodSync(path.join(stage.directory, name), 0o755)
    }
    stage.write('a.txt', 'changed\n')

    await stage.run(gitStatus, { ignored: true })
    await stage.run(gitDiff, {})
    await stage.run(gitAdd, { all: true }).catch((error) => {
      // The result of a filter is not known, so such files are left to git.
      if (!isFsError(error, 'GIT_REFUSED') || error.facts.reason !== 'unsupported-attribute') throw error
      stage.git(...['clean', 'smudge', 'process'].flatMap((name) => ['-c', `filter.x.${name}=`]), 'add', '-A')
    })
    await stage.run(gitDiff, { from: 'head', to: 'index' })
    await stage.run(gitCommit, { message: 'second' })
    await stage.run(gitShow, {})
    await stage.run(gitLog, { paths: ['a.txt'] })
    await stage.run(gitCheckout, { revision: 'other' })
    await stage.run(gitCheckout, { revision: 'main' })
    stage.write('a.txt', 'again\n')
    await stage.run(gitRestore, { paths: ['a.txt'] })
    await stage.run(gitBranch, { action: 'create', name: 'new' })
    await stage.run(gitBranches, { remotes: true })
    expect(fs.existsSync(marker)).toBe(false)

    // The real git runs it, so there was something to run.
    stage.write('a.txt', 'and again\n')
    if (git[1] === 'a.txt') stage.write('a.txt', 'to be put back\n')
    try {
      execFileSync('git', git, { cwd: stage.directory, env: gitEnvironment, stdio: 'ignore' })
    } catch {
      // Some of these programs make git fail.
    }
    expect(fs.existsSync(marker)).toBe(true)
  })
})

describe('names that could mean something else are refused', () => {
  const badRefs = [
    '--output=x',
    '-f',
    'a..b',
    'a.lock',
    'a\nb',
    'a b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a~',
    'a^{}',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    '@',
    '@{1}',
    'HEAD@{1}',
    'a.',
    '\u0000',
  ]

  test('refs', async () => {
    for (const name of badRefs) {
      const refused = { code: 'GIT_REFUSED' }
      const invalid = { ...refused, facts: { reason: 'invalid-name', subject: name } }
      await expect(stage.run(gitBranch, { action: 'create', name }), name).rejects.toMatchObject(invalid)
      await expect(stage.run(gitCheckout, { create: name }), name).rejects.toMatchObject(invalid)
      // As revisions these two are valid.
      if (name === '@' || name === 'a~') continue
      await expect(stage.run(gitCheckout, { revision: name }), name).rejects.toMatchObject(refused)
      await expect(stage.run(gitLog, { revision: name }), name).rejects.toMatchObject(refused)
      await expect(stage.run(gitDiff, { from: { revision: name } }), name).rejects.toMatchObject(refused)
    }
  })

  test('paths like options, outside the repository, outside the workspace, and inside .git', async () => {
    const add = (name: string) => stage.run(gitAdd, { paths: [name] })
    await expect(add('--all')).rejects.toMatchObject({ facts: { reason: 'invalid-name' } })
    await expect(add('../x')).rejects.toMatchObject({ code: 'OUTSIDE' })
    await expect(add('/etc/passwd')).rejects.toMatchObject({ code: 'OUTSIDE' })
    await expect(add('.git/config')).rejects.toMatchObject({ code: 'PROTECTED' })
    await expect(add('.GIT/config')).rejects.toMatchObject({ code: 'PROTECTED' })
    await expect(stage.run(gitInit, { directory: '../x' })).rejects.toMatchObject({ code: 'OUTSIDE' })
    await expect(stage.run(gitInit, { directory: '.git' })).rejects.toMatchObject({ code: 'PROTECTED' })
    await expect(stage.run(gitClone, { url: 'ext::sh -c x', directory: 'y' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
    fs.symlinkSync('/etc', path.join(stage.directory, 'etc'))
    await expect(add('etc/passwd')).rejects.toMatchObject({ code: 'OUTSIDE' })
    await expect(add('etc')).rejects.toMatchObject({ code: 'OUTSIDE' })
  })
})

describe('a hostile tree is not checked out', () => {
  const blob = () => stage.git('hash-object', '-w', 'a.txt').trim()
  const entry = (mode: string, name: string, oid: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  const tree = (...entries: Buffer[]) =>
    execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
      cwd: stage.directory,
      env: gitEnvironment,
      input: Buffer.concat(entries),
      encoding: 'utf8',
    }).trim()
  const link = (target: string) =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: stage.directory,
      env: gitEnvironment,
      input: target,
      encoding: 'utf8',
    }).trim()

  const trees: Record<string, () => string> = {
    '..': () => tree(entry('40000', '..', tree(entry('100644', 'x', blob())))),
    '.': () => tree(entry('40000', '.', tree(entry('100644', 'x', blob())))),
    'a slash': () => tree(entry('100644', '../x', blob())),
    '.git': () => tree(entry('40000', '.git', tree(entry('100755', 'x', blob())))),
    '.GIT': () => tree(entry('40000', '.GIT', tree(entry('100755', 'x', blob())))),
    'a stream of .git': () => tree(entry('40000', '.git::$INDEX_ALLOCATION', tree(entry('100755', 'x', blob())))),
    'a short name of .git': () => tree(entry('40000', 'GIT~1', tree(entry('100755', 'x', blob())))),
    'an invisible character in .git': () => tree(entry('40000', '.g\u200cit', tree(entry('100755', 'x', blob())))),
    '.git and a space': () => tree(entry('40000', '.git ', tree(entry('100755', 'x', blob())))),
    '.git deep inside': () =>
      tree(entry('40000', 'd', tree(entry('40000', '.git', tree(entry('100755', 'x', blob())))))),
    'no name': () => tree(entry('100644', '', blob())),
    'a name twice': () => tree(entry('100644', 'x', blob()), entry('100755', 'x', blob())),
    'a link and something below it': () =>
      tree(entry('120000', 'x', link('..')), entry('40000', 'x', tree(entry('100644', 'y', blob())))),
    'a link that leads outside': () => tree(entry('120000', 'x', link('/etc/passwd'))),
    'a link that climbs': () => tree(entry('120000', 'x', link('../../x'))),
    'a submodule called .git': () => tree(entry('160000', '.git', '1'.repeat(40))),
  }

  test.each(Object.entries(trees))('with %s', async (_name, plant) => {
    const commit = stage.git('commit-tree', '-m', 'evil', plant()).trim()
    const before = snapshot(stage.directory)
    const outside = fs.readdirSync(path.dirname(stage.directory)).includes('x')
    for (const force of [false, true]) {
      await expect(stage.run(gitCheckout, { revision: commit, force })).rejects.toMatchObject({
        code: expect.stringMatching(/GIT_REFUSED|OUTSIDE/),
      })
    }
    await expect(stage.run(gitRestore, { revision: commit, paths: ['.'] })).rejects.toThrow()
    expect(snapshot(stage.directory)).toEqual(before)
    expect(fs.readdirSync(path.dirname(stage.directory)).includes('x')).toBe(outside)
  })

  function snapshot(directory: string): string[] {
    return fs.readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  }
})

describe('a repository that is incomplete or refers elsewhere is refused', () => {
  const refusal = (subject: string | RegExp) => ({
    code: 'GIT_REFUSED',
    facts: { reason: 'unsupported-repository', subject: expect.stringMatching(subject) },
  })

  test('a .git that is a link, or a file', async () => {
    const git = path.join(stage.directory, '.git')
    fs.renameSync(git, path.join(stage.directory, 'real'))
    fs.symlinkSync('real', git)
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(/link/))
    fs.rmSync(git)
    stage.write('.git', 'gitdir: /elsewhere\n')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(/\.git file/))
    fs.rmSync(git)
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
  })

  test.each([
    ['core.worktree', '[core]\nworktree = /etc', /core\.worktree/],
    ['sha256', '[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256', /sha256/],
    ['an unknown extension', '[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable', /refstorage/],
    ['a bare repository', '[core]\nbare = true', /bare/],
  ])('%s', async (_name, config, subject) => {
    fs.appendFileSync(path.join(stage.directory, '.git/config'), `${config}\n`)
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(subject))
  })

  test('objects of another repository, and objects behind a link to the outside', async () => {
    stage.write('.git/objects/info/alternates', '/elsewhere/objects\n')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(/alternates/))
    fs.rmSync(path.join(stage.directory, '.git/objects'), { recursive: true })
    fs.symlinkSync('/tmp', path.join(stage.directory, '.git/objects'))
    await expect(stage.run(gitLog, {})).rejects.toMatchObject({ code: expect.stringMatching(/OUTSIDE|GIT_REFUSED/) })
    await expect(stage.run(gitCommit, { message: 'x', allowEmpty: true })).rejects.toThrow()
  })

  test('an index of another version, split, or broken', async () => {
    stage.git('update-index', '--index-version', '4')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(/index version 4/))
    stage.git('update-index', '--index-version', '2')
    stage.git('update-index', '--split-index')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refusal(/index extension link/))
    stage.write('.git/index', 'DIRC nonsense that is long enough to be read')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject({
      facts: { reason: expect.stringMatching(/damaged|unsupported/) },
    })
  })

  test('while git itself is at work', async () => {
    stage.write('.git/index.lock', '')
    await expect(stage.run(gitAdd, { all: true })).rejects.toMatchObject({ code: 'BUSY' })
  })

  test('with an object that is missing', async () => {
    const oid = stage.git('rev-parse', 'HEAD^{tree}').trim()
    fs.rmSync(path.join(stage.directory, `.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`))
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject({
      facts: { reason: 'damaged-repository', subject: oid },
    })
  })
})

test('submodules are not followed', async () => {
  stage.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
  stage.git('commit', '-qm', 'sub')
  stage.write('sub/inside', 'x')
  const status = await stage.run(gitStatus, {})
  expect([status.staged, status.unstaged, status.untracked]).toEqual([[], [], []])
  await stage.run(gitCheckout, { revision: 'other', force: true })
  await stage.run(gitCheckout, { revision: 'main' })
  expect(stage.git('ls-files', '-s', 'sub')).toBe(`160000 ${'1'.repeat(40)} 0\tsub\n`)
})

test('a cancelled call changes nothing', async () => {
  for (let i = 0; i < 200; i += 1) stage.write(`many/${i}`, `${i}\n`)
  const controller = new AbortController()
  const run = gitAdd.run(gitAdd.input.parse({ all: true }), stage.workspace, {
    signal: controller.signal,
    onProgress: ({ done }) => {
      if (done >= 64) controller.abort()
    },
  })
  await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  expect(stage.git('status', '--porcelain')).toBe('?? many/\n')
})
