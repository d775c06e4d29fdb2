import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { readUserExcludes } from '../../../node/workspace/user-git.js'
import { findFiles } from '../../../src/ops/find-files.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitStatus } from '../../../src/ops/git/status.js'

let home: string
let repository: string
beforeEach(() => {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-excludes-')))
  home = path.join(place, 'home')
  repository = path.join(place, 'repository')
  write(path.join(repository, '.env'), 'SECRET=1\n')
  write(path.join(repository, 'a.txt'), 'SECRET=2\n')
  execFileSync('git', ['init', '-q', repository])
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(path.dirname(home), { recursive: true })
})

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

const cases: Record<string, { files: Record<string, string>; environment?: Record<string, string> }> = {
  'nothing said': { files: {} },
  'the default place': { files: { '.config/git/ignore': '.env\n' } },
  'a place of its own': { files: { 'own/git/ignore': '.env\n' }, environment: { XDG_CONFIG_HOME: '~/own' } },
  'a file of the configuration': { files: { '.gitconfig': '[core]\n\texcludesFile = ~/rules\n', rules: '.env\n' } },
  'the default place, which does not count then': {
    files: { '.gitconfig': '[core]\n\texcludesfile = ~/rules\n', '.config/git/ignore': '.env\n' },
  },
  'the other file of the configuration': {
    files: { '.config/git/config': '[core]\n\texcludesfile = "~/rules"\n', rules: '.env\n' },
  },
  'two files, of which the later counts': {
    files: {
      '.config/git/config': '[core]\n\texcludesfile = ~/rules\n',
      '.gitconfig': '[core]\n\texcludesfile = ~/none\n',
      rules: '.env\n',
    },
  },
  'an included file': {
    files: {
      '.gitconfig': '[include]\n\tpath = more\n',
      more: '[core]\n\texcludesfile = ~/rules\n',
      rules: '.env\n',
    },
  },
  'switched off': { files: { '.gitconfig': '[core]\n\texcludesfile =\n', '.config/git/ignore': '.env\n' } },
  'a configuration that is named': {
    files: { named: '[core]\n\texcludesfile = ~/rules\n', rules: '.env\n' },
    environment: { GIT_CONFIG_GLOBAL: '~/named' },
  },
  'one of the machine': {
    files: { machine: '[core]\n\texcludesfile = ~/rules\n', rules: '.env\n' },
    environment: { GIT_CONFIG_SYSTEM: '~/machine', GIT_CONFIG_NOSYSTEM: '0' },
  },
  'one of the machine that does not count': {
    files: { machine: '[core]\n\texcludesfile = ~/rules\n', rules: '.env\n' },
    environment: { GIT_CONFIG_SYSTEM: '~/machine', GIT_CONFIG_NOSYSTEM: '1' },
  },
}

for (const [name, { files, environment = {} }] of Object.entries(cases)) {
  test(`rules are found where git finds them: ${name}`, () => {
    for (const [file, text] of Object.entries(files)) write(path.join(home, file), text)
    const given = Object.entries(environment).map(([key, value]) => [key, value.replace('~', home)])
    const variables = { HOME: home, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', ...Object.fromEntries(given) }
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: repository, env: variables, encoding: 'utf8' })
    const rules = readUserExcludes(variables) ?? ''
    expect(rules.includes('.env')).toBe(!status.includes('.env'))
  })
}

test('what is not a file is never waited for, and what is too large is left', () => {
  write(path.join(home, '.gitconfig'), '[core]\n\texcludesfile = ~/rules\n')
  execFileSync('mkfifo', [path.join(home, 'rules')])
  expect(readUserExcludes({ HOME: home, GIT_CONFIG_NOSYSTEM: '1' })).toBe(undefined)
  fs.rmSync(path.join(home, 'rules'))
  write(path.join(home, 'rules'), 'x\n'.repeat(1_000_000))
  expect(readUserExcludes({ HOME: home, GIT_CONFIG_NOSYSTEM: '1' })).toBe(undefined)
})

test('they count for status, add and finding files, unless switched off', async () => {
  write(path.join(home, '.config/git/ignore'), '.env\n')
  vi.stubEnv('XDG_CONFIG_HOME', path.join(home, '.config'))
  for (const [userExcludes, expected] of [
    [true, ['a.txt']],
    [false, ['.env', 'a.txt']],
  ] as const) {
    const workspace = await openDirectories([{ directory: repository, access: 'read-write' }], {
      durable: false,
      commands: false,
      searchThreads: 0,
      userExcludes,
    })
    try {
      expect((await gitStatus.run(gitStatus.input.parse({}), workspace, {})).untracked).toEqual(expected)
      const found = await findFiles.run(findFiles.input.parse({ path: '.', ignore: {} }), workspace, {})
      const names = found.entries.map((entry) => entry.path)
      expect(names.filter((name) => !name.startsWith('.git/')).sort()).toEqual(expected)
      const added = await gitAdd.run(gitAdd.input.parse({ all: true }), workspace, {})
      expect(added.changes.map((change) => change.path)).toEqual(expected)
      await workspace.history.undo()
    } finally {
      workspace.close()
    }
  }
})
