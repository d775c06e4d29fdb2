import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printDiff, printLog, printShow } from '../../../src/git/print/print-results.js'
import { gitBranches } from '../../../src/ops/git/branch.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { sidesOfRange } from '../../../src/ops/git/revision-range.js'
import { gitShow } from '../../../src/ops/git/show.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { longTest } from '../../scale.js'
import { gitEnvironment, openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

let clock = 1_700_000_000

/** A commit created without a working tree, a minute after the last one unless a time is given. */
function commit(name: string, parents: readonly string[], seconds?: number): string {
  clock += 60
  const date = `${seconds ?? clock} +0100`
  const run = (args: string[], input?: string) =>
    execFileSync('git', args, {
      cwd: stage.directory,
      env: { ...gitEnvironment, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      encoding: 'utf8',
      ...(input !== undefined && { input }),
    }).trim()
  const blob = run(['hash-object', '-w', '--stdin'], `${name}\n`)
  const tree = run(['mktree'], `100644 blob ${blob}\tfile\n`)
  const oid = run(['commit-tree', tree, '-m', name, ...parents.flatMap((each) => ['-p', each])])
  stage.git('tag', name, oid)
  return name
}

const diff = (...given: string[]) => stage.run(gitDiff, sidesOfRange(given))

describe('a diff of a...b compares with the merge base', () => {
  test('of two branches, in both directions', async () => {
    commit('root', [])
    commit('base', ['root'])
    commit('one', ['base'])
    commit('two', ['base'])
    for (const range of ['one...two', 'two...one', 'root...two', 'one...one', 'one..two', 'two..base']) {
      expect(printDiff(await diff(range)), range).toBe(stage.git('diff', range))
    }
    stage.git('checkout', '-q', 'one')
    for (const range of ['two...', '...two', 'two..', '..two']) {
      expect(printDiff(await diff(range)), range).toBe(stage.git('diff', range))
    }
  })

  test('where both sides have merged each other, with wrong dates', async () => {
    commit('root', [])
    commit('left', ['root'])
    commit('right', ['root'], clock - 10_000)
    commit('merge-left', ['left', 'right'], clock - 20_000)
    commit('merge-right', ['right', 'left'])
    expect(printDiff(await diff('merge-left...merge-right'))).toBe(gitDiffQuietly('merge-left...merge-right'))
    expect(printDiff(await diff('merge-right...merge-left'))).toBe(gitDiffQuietly('merge-right...merge-left'))
  })

  test('and is refused for unrelated histories', async () => {
    commit('one', [])
    commit('two', [])
    await expect(diff('one...two')).rejects.toMatchObject({
      facts: { reason: 'no-merge-base', subject: 'one...two' },
    })
  })

  /** Git warns of several merge bases. */
  const gitDiffQuietly = (range: string) =>
    execFileSync('git', ['diff', range], { cwd: stage.directory, env: gitEnvironment, encoding: 'utf8', stdio: 'pipe' })
})

describe('a shallow clone', () => {
  test('ends at its boundary, whatever the last commit was', async () => {
    commit('root', [])
    commit('left', ['root'])
    commit('right', ['root'])
    commit('merge', ['left', 'right'])
    commit('top', ['merge'])
    stage.git('update-ref', 'refs/heads/main', 'top')
    for (const depth of [1, 2, 3]) {
      const name = `clone-${depth}`
      stage.git('clone', '-q', `--depth=${depth}`, `file://${stage.directory}`, name)
      const git = (...args: string[]) => stage.git('-C', name, ...args)
      const directory = name
      expect(printLog((await stage.run(gitLog, { directory })).commits)).toBe(git('log'))
      expect(printLog((await stage.run(gitLog, { directory, paths: [`${name}/file`] })).commits)).toBe(
        git('log', '--', 'file'),
      )
      const last = git('log', '--format=%H').trim().split('\n').at(-1) as string
      expect(printShow(await stage.run(gitShow, { directory, revision: last }))).toBe(git('show', last))
      await expect(stage.run(gitLog, { directory, revision: `HEAD~${depth}` })).rejects.toMatchObject({
        facts: { reason: 'unknown-revision', subject: `HEAD~${depth}` },
      })
      expect(await stage.run(gitStatus, { directory })).toMatchObject({ upstream: { ahead: 0, behind: 0 } })
    }
  })
})

describe('a repository that another git made', () => {
  function plantSome(): void {
    for (let i = 0; i < 30; i += 1) {
      stage.write(
        'text',
        `${Array.from({ length: 200 }, (_, line) => `${line} ${line === i ? 'new' : ''}`).join('\n')}\n`,
      )
      stage.write(`d${i % 3}/f${i}`, `${i}\n`)
      stage.git('add', '.')
      stage.git('commit', '-qm', `commit ${i}`)
    }
    stage.git('tag', '-am', 'a tag', 'v1')
  }

  async function readsAll(): Promise<void> {
    expect(printLog((await stage.run(gitLog, {})).commits)).toBe(stage.git('log'))
    expect(printShow(await stage.run(gitShow, { revision: 'v1~3' }))).toBe(stage.git('show', 'v1~3'))
    expect(printDiff(await diff('v1~20..v1'))).toBe(stage.git('diff', 'v1~20..v1'))
    const short = stage.git('rev-parse', 'v1~5').slice(0, 12)
    expect((await stage.run(gitLog, { revision: short, limit: 1 })).commits).toMatchObject([{ message: 'commit 24\n' }])
    expect(await stage.run(gitStatus, {})).toMatchObject({ branch: 'main', staged: [], unstaged: [], untracked: [] })
  }

  longTest('with pack indexes of version 1', async () => {
    plantSome()
    stage.git('-c', 'pack.indexVersion=1', 'repack', '-adfq', '--depth=40')
    const [index] = fs.readdirSync(path.join(stage.directory, '.git/objects/pack')).filter((name) => /idx$/.test(name))
    const bytes = fs.readFileSync(path.join(stage.directory, '.git/objects/pack', index as string))
    expect(bytes.readUInt32BE(0)).not.toBe(0xff744f63)
    await readsAll()
  })

  test('with a commit graph, a multi-pack index with bitmaps, and several packs', async () => {
    plantSome()
    stage.git('repack', '-dq')
    stage.write('more', 'more\n')
    stage.git('add', '.')
    stage.git('commit', '-qm', 'more')
    stage.git('repack', '-dq')
    stage.git('reset', '-q', '--hard', 'HEAD~')
    stage.git('multi-pack-index', 'write', '--bitmap')
    stage.git('commit-graph', 'write', '--reachable')
    await readsAll()
  })

  test('with objects that are only on the server', async () => {
    plantSome()
    stage.git('config', 'uploadpack.allowFilter', 'true')
    stage.git('clone', '-q', '--filter=blob:none', '--no-checkout', `file://${stage.directory}`, 'partial')
    const oid = stage.git('rev-parse', 'HEAD:text').trim()
    expect((await stage.run(gitLog, { directory: 'partial' })).commits).toHaveLength(30)
    await expect(stage.run(gitShow, { directory: 'partial', path: 'partial/text' })).rejects.toMatchObject({
      facts: {
        reason: 'unsupported-repository',
        subject: `object ${oid} was left on the server (partial clone)`,
      },
    })
  })

  test('of an unsupported kind is refused with its name', async () => {
    const refused = (subject: RegExp) => ({
      facts: { reason: 'unsupported-repository', subject: expect.stringMatching(subject) },
    })
    stage.git('init', '-q', '--object-format=sha256', 'sha256')
    await expect(stage.run(gitStatus, { directory: 'sha256' })).rejects.toMatchObject(refused(/^sha256 object names$/))
    stage.write('reftable/.git/HEAD', 'ref: refs/heads/.invalid\n')
    stage.write('reftable/.git/config', '[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable\n')
    await expect(stage.run(gitBranches, { directory: 'reftable' })).rejects.toMatchObject(refused(/reftable/))
    stage.write('a', 'a\n')
    stage.git('add', 'a')
    stage.git('commit', '-qm', 'a')
    stage.git('update-index', '--split-index')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(refused(/split index|index extension link/))
    stage.git('update-index', '--no-split-index')
    stage.write('d/b', 'b\n')
    stage.git('add', 'd')
    stage.git('commit', '-qm', 'b')
    stage.git('sparse-checkout', 'init', '--cone', '--sparse-index')
    await expect(stage.run(gitStatus, {})).rejects.toMatchObject(
      refused(/sparse|index extension sdir|index version 3|worktreeconfig/),
    )
  })
})
