/** The user's own settings of git that decide what a file looks like in a repository, compared with git. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import type { Operation } from '../../../src/ops/operation.js'
import { sample } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'

interface Case {
  /** Below the home directory. */
  home: Record<string, string>
  /** The repository's own configuration. */
  own?: Record<string, string>
  attributes?: string
  files?: Record<string, string>
}

const attributes = '*.txt text eol=crlf\n*.dat -text\n'

const cases: Record<string, Case> = {
  'core.autocrlf': { home: { '.gitconfig': '[core]\n\tautocrlf = true\n' } },
  'core.autocrlf=input': { home: { '.gitconfig': '[core]\n\tautoCRLF = input\n' } },
  'core.autocrlf, in an included file': {
    home: { '.gitconfig': '[include]\n\tpath = more\n', more: '[core]\n\tautocrlf\n' },
  },
  'core.autocrlf, and another of the repository': {
    home: { '.gitconfig': '[core]\n\tautocrlf = true\n' },
    own: { 'core.autocrlf': 'false' },
  },
  'core.eol': { home: { '.gitconfig': '[core]\n\teol = crlf\n' }, attributes: '* text=auto\n' },
  'core.attributesFile': {
    home: {
      '.gitconfig': '[core]\n\tattributesFile = ~/named\n',
      named: attributes,
      '.config/git/attributes': '* -text',
    },
  },
  'attributes in the usual place': { home: { '.config/git/attributes': attributes } },
  'attributes in the usual place, and others of the repository': {
    home: { '.config/git/attributes': attributes },
    attributes: '*.txt -text\n*.c text eol=crlf\n',
  },
  'core.attributesFile of the repository': {
    home: { '.config/git/attributes': attributes },
    own: { 'core.attributesFile': 'rules' },
    files: { rules: '*.c text eol=crlf\n' },
  },
  'core.excludesFile': {
    home: { '.gitconfig': '[core]\n\texcludesFile = ~/named\n', named: '*.dat\n', '.config/git/ignore': '*.txt\n' },
  },
}

const contents = { lf: 'a\nb\n', crlf: 'a\r\nb\r\n', mixed: 'a\r\nb\n' }

for (const [name, { home, own = {}, attributes: ofRepository, files = {} }] of sample(Object.entries(cases), {
  every: 2,
})) {
  test(name, async () => {
    const top = fs.realpathSync(await temporaryDirectory())
    const [homePath, repository] = [path.join(top, 'home'), path.join(top, 'repository')]
    write(homePath, home)
    const environment = { HOME: homePath, PATH: process.env.PATH ?? '', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
    vi.stubEnv('HOME', homePath)
    vi.stubEnv('GIT_CONFIG_GLOBAL', undefined)
    vi.stubEnv('XDG_CONFIG_HOME', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    fs.mkdirSync(repository)
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: repository, env: environment, encoding: 'utf8', stdio: 'pipe' })
    git('init', '-q', '-b', 'main')
    for (const [key, value] of Object.entries({ 'user.name': 'A', 'user.email': 'a@b.c', ...own }))
      git('config', key, value)
    git('commit', '-qm', 'empty', '--allow-empty')
    git('branch', 'empty')
    const given = Object.entries(contents).flatMap(([content, text]) =>
      ['txt', 'dat', 'c'].map((kind) => [`${content}.${kind}`, text]),
    )
    const tree = { ...Object.fromEntries(given), ...files, ...(ofRepository && { '.gitattributes': ofRepository }) }
    write(repository, tree)
    const workspace = await openDirectories([{ directory: repository, access: 'read-write' }], {
      ...{ durable: false, fsync: false, commands: false, searchThreads: 0 },
    })
    onTestFinished(() => workspace.close())
    const run = <Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given) =>
      operation.run(operation.input.parse(input), workspace, {})

    expect(printShortStatus(await run(gitStatus, {}))).toBe(git('status', '--porcelain'))
    await run(gitAdd, { all: true })
    const ours = git('ls-files', '-s')
    git('read-tree', '--empty')
    git('add', '-A')
    expect(ours).toBe(git('ls-files', '-s'))
    git('commit', '-qm', 'all')

    git('checkout', '-qf', 'empty')
    git('checkout', '-q', 'main')
    const theirs = bytesIn(repository)
    git('checkout', '-qf', 'empty')
    await run(gitCheckout, { revision: 'main' })
    expect(bytesIn(repository)).toEqual(theirs)
    expect(printShortStatus(await run(gitStatus, {}))).toBe(git('--no-optional-locks', 'status', '--porcelain'))
    for (const file of Object.keys(tree)) fs.appendFileSync(path.join(repository, file), 'more\r\n')
    expect(printShortStatus(await run(gitStatus, {}))).toBe(git('--no-optional-locks', 'status', '--porcelain'))
  })
}

function write(top: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(top, name)), { recursive: true })
    fs.writeFileSync(path.join(top, name), text)
  }
}

function bytesIn(directory: string): Record<string, string> {
  const names = fs.readdirSync(directory).filter((name) => name !== '.git')
  return Object.fromEntries(names.sort().map((name) => [name, fs.readFileSync(path.join(directory, name), 'latin1')]))
}
