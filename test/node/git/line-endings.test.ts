import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { sample } from '../../scale.js'
import { openStage, type Stage } from './real-git.js'

/** Compares every content under every attribute and configuration with git. */
const contents: Record<string, string> = {
  empty: '',
  lf: 'a\nb\n',
  crlf: 'a\r\nb\r\n',
  mixed: 'a\r\nb\nc\r\n',
  'lone-cr': 'a\rb\r\nc\n',
  'cr-cr-lf': 'a\r\r\nb\n',
  nul: 'a\0\r\nb\n',
  control: `\x01\x02\x03 a\r\nb\n`,
  'few-controls': `\x01${'x'.repeat(300)}\r\nb\n`,
  'old-end': 'a\r\nb\n\x1a',
  'no-end': 'a\r\nb',
  umlaut: 'ä\r\n',
}

const attributes: Record<string, string> = {
  none: '',
  text: 'text',
  auto: 'text=auto',
  binary: 'binary',
  minus: '-text',
  'eol-lf': 'eol=lf',
  'eol-crlf': 'eol=crlf',
  'auto-crlf': 'text=auto eol=crlf',
  'auto-lf': 'text=auto eol=lf',
  'binary-eol': '-text eol=crlf',
  input: 'text=input',
  'old-name': 'crlf',
  macro: 'own',
  undone: 'text !text',
}

const configurations = [
  {},
  { 'core.autocrlf': 'true' },
  { 'core.autocrlf': 'input' },
  { 'core.eol': 'crlf' },
  { 'core.autocrlf': 'false', 'core.eol': 'lf' },
]

function plant(stage: Stage, rewrite: (text: string) => string = (text) => text): void {
  const lines = Object.entries(attributes).map(([name, said]) => `${name}-* ${said}`)
  stage.write('.gitattributes', `[attr]own text eol=crlf\n* -diff\n${lines.join('\n')}\n`)
  stage.write('d/.gitattributes', `"auto-*" -text\n`)
  for (const name of Object.keys(attributes)) {
    for (const [content, text] of Object.entries(contents)) stage.write(`${name}-${content}`, rewrite(text))
    stage.write(`d/${name}-crlf`, rewrite(contents.crlf as string))
  }
}

function bytesIn({ directory }: Stage): Record<string, string> {
  const names = ['', 'd'].flatMap((below) =>
    fs.readdirSync(path.join(directory, below)).map((name) => path.join(below, name)),
  )
  const files = names.filter((name) => fs.statSync(path.join(directory, name)).isFile())
  return Object.fromEntries(files.sort().map((name) => [name, fs.readFileSync(path.join(directory, name), 'latin1')]))
}

for (const configuration of sample(configurations, { every: 2 })) {
  test(`line endings match git with ${JSON.stringify(configuration)}`, async () => {
    const stage = await openStage()
    try {
      for (const [key, value] of Object.entries(configuration)) stage.git('config', key, value as string)
      stage.git('commit', '-qm', 'empty', '--allow-empty')
      stage.git('branch', 'empty')
      plant(stage)
      await stage.run(gitAdd, { all: true })
      const ours = stage.git('ls-files', '-s')
      stage.git('read-tree', '--empty')
      stage.git('add', '-A')
      expect(ours).toBe(stage.git('ls-files', '-s'))
      stage.git('commit', '-qm', 'all')
      expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status', '--porcelain'))

      stage.git('checkout', '-qf', 'empty')
      stage.git('checkout', '-q', 'main')
      const theirs = bytesIn(stage)
      stage.git('checkout', '-qf', 'empty')
      await stage.run(gitCheckout, { revision: 'main' })
      expect(bytesIn(stage)).toEqual(theirs)
      const after = printShortStatus(await stage.run(gitStatus, {}))
      // A file that changes when its endings are converted is never clean, in git either.
      expect(after.split('\n').filter((line) => line !== '' && !line.endsWith('cr-cr-lf'))).toEqual([])
      expect(after).toBe(stage.git('status', '--porcelain'))

      plant(stage, (text) => text.replaceAll(/\r?\n/g, '\r\n'))
      const status = printShortStatus(await stage.run(gitStatus, {}))
      expect(status).toBe(stage.git('--no-optional-locks', 'status', '--porcelain'))
      const names = (await stage.run(gitDiff, {})).map((file) => `${file.path}\n`)
      expect(names.join('')).toBe(stage.git('--no-optional-locks', 'diff', '--name-only'))
      await stage.run(gitAdd, { all: true })
      const again = stage.git('ls-files', '-s')
      stage.git('reset', '-q')
      stage.git('add', '-A')
      expect(again).toBe(stage.git('ls-files', '-s'))
    } finally {
      stage.close()
    }
  })
}

test('files with other conversions are refused, and nothing is staged', async () => {
  const stage = await openStage()
  try {
    stage.write('.gitattributes', '*.bin filter=lfs -text\n*.id ident\n*.enc working-tree-encoding=UTF-16\n')
    stage.write('a.bin', 'large')
    stage.write('b.id', '$Id$\n')
    stage.write('c.enc', 'text')
    stage.write('plain', 'text\n')
    for (const [name, subject] of [
      ['a.bin', 'filter=lfs'],
      ['b.id', 'ident'],
      ['c.enc', 'working-tree-encoding'],
    ] as const) {
      await expect(stage.run(gitAdd, { paths: [name] })).rejects.toMatchObject({
        facts: { reason: 'unsupported-attribute', subject, paths: [name] },
      })
    }
    await expect(stage.run(gitAdd, { all: true })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    expect(stage.git('ls-files')).toBe('')
    await stage.run(gitAdd, { paths: ['plain', '.gitattributes'] })
    expect(stage.git('ls-files')).toBe('.gitattributes\nplain\n')
  } finally {
    stage.close()
  }
})

test('a forced checkout writes files whose stat is not in the index with the line endings of the settings, like git', async () => {
  const [ours, theirs] = [await openStage(), await openStage()]
  try {
    for (const { directory, git } of [ours, theirs]) {
      fs.writeFileSync(path.join(directory, 'touched'), 'a\n')
      fs.writeFileSync(path.join(directory, 'same'), 'b\n')
      git('add', '-A')
      git('commit', '-qm', 'one')
      git('config', 'core.autocrlf', 'true')
      fs.utimesSync(path.join(directory, 'touched'), 1_000_000_000, 1_000_000_000)
    }
    theirs.git('checkout', '-q', '-f', 'HEAD')
    await ours.workspace.run(gitCheckout, { revision: 'HEAD', force: true })
    const shown = ({ directory }: Stage) =>
      ['touched', 'same'].map((name) => fs.readFileSync(path.join(directory, name), 'utf8'))
    expect(shown(ours)).toEqual(shown(theirs))
    expect(shown(ours)).toEqual(['a\r\n', 'b\n'])
  } finally {
    ours.close()
    theirs.close()
  }
})
