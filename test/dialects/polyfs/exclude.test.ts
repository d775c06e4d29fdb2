/** What `exclude` and `!pattern` leave out, compared with ripgrep's `-g '!pattern'` on generated trees. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { scaled, seeded } from '../../scale.js'

const hasRipgrep = spawnSync('rg', ['--version']).status === 0

let scratch: string
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-exclude-'))
})
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

const names = ['a', 'b', 'a.ts', 'b.ts', 'a.md', '.x', 'a b', 'B', '[a]', 'a!']

/** Files by path. A name is a file or a directory, never both. */
function treeFrom(random: Random): string[] {
  const files = new Set<string>()
  for (let count = 0; count < 30; count += 1) {
    const parts = Array.from({ length: 1 + random(4) }, () => names[random(names.length)] as string)
    const file = parts.join('/')
    const isTaken = [...files].some((other) => `${other}/`.startsWith(`${file}/`) || `${file}/`.startsWith(`${other}/`))
    if (!isTaken) files.add(file)
  }
  return [...files].sort()
}

const pieces = ['a', 'b', '.ts', '*', '*', '?', '.', '[ab]', '[!a]', '{a,b}', '{a.ts,.x}', '\\[a\\]', ' ', '!']

function patternFrom(random: Random): string {
  const segment = () => {
    if (random(4) === 0) return ['**', '*', '*.ts', 'a', 'b'][random(5)] as string
    return Array.from({ length: 1 + random(2) }, () => pieces[random(pieces.length)]).join('')
  }
  const body = Array.from({ length: 1 + random(3) }, segment).join('/')
  return `${random(5) === 0 ? '/' : ''}${body}${random(5) === 0 ? '/' : ''}`
}

/** ripgrep trims these, or takes them for a comment or for an inclusion, or does not know what `./` means. */
function isPlain(pattern: string): boolean {
  return !/^\/?[!# ]|^\/?\.\/| $/.test(pattern)
}

test('exclude leaves out what ripgrep leaves out', async ({ skip }) => {
  if (!hasRipgrep) skip('ripgrep is not installed')
  const random = randomFrom(seeded(1))
  let excluding = 0
  for (let tree = 0; tree < scaled(24); tree += 1) {
    const files = treeFrom(random)
    const root = path.join(scratch, String(tree))
    plant(root, files)
    const inMemory = memory(Object.fromEntries(files.map((file) => [file, 'hit\n'])))
    const workspace = createWorkspace({ fs: random(2) === 0 ? inMemory : withoutFacets(inMemory) })
    const rowsOf = async (tool: string, args: object) => {
      const { content } = await callTool(workspace, polyfs, tool, args)
      const text = content[0]?.text ?? ''
      return /^\(no .*\)$/.test(text) ? [] : text.split('\n').sort()
    }
    for (let round = 0; round < 12; round += 1) {
      const patterns = Array.from({ length: 1 + random(2) }, () => patternFrom(random)).filter(isPlain)
      const [only] = patterns
      const glob = ['*.ts', 'a*', '**'][random(3)] as string
      const expected = ripgrep(root, patterns)
      const about = { files, patterns, glob }
      expect({ ...about, left: await rowsOf('glob', { pattern: '**', exclude: patterns }) }).toEqual({
        ...about,
        left: expected,
      })
      expect({
        ...about,
        left: await rowsOf('grep', { pattern: 'hit', output: 'files', glob, exclude: patterns }),
      }).toEqual({
        ...about,
        left: ripgrep(root, patterns, glob),
      })
      const listed = await rowsOf('list_dir', { depth: 9, exclude: patterns })
      expect({ ...about, left: listed.filter((row) => !row.endsWith('/')) }).toEqual({ ...about, left: expected })
      if (expected.length < files.length) excluding += 1
      if (only === undefined) continue
      expect({ ...about, left: await rowsOf('glob', { pattern: `!${only}` }) }).toEqual({
        ...about,
        left: ripgrep(root, [only]),
      })
      expect(await rowsOf('grep', { pattern: 'hit', output: 'files', glob: `!${only}` })).toEqual(ripgrep(root, [only]))
    }
  }
  expect(excluding).toBeGreaterThan(0)
})

test('several paths are searched as ripgrep searches them, each file once', async ({ skip }) => {
  if (!hasRipgrep) skip('ripgrep is not installed')
  const random = randomFrom(seeded(2))
  for (let tree = 0; tree < scaled(24); tree += 1) {
    const files = treeFrom(random)
    const root = path.join(scratch, `paths-${tree}`)
    plant(root, files)
    const workspace = createWorkspace({ fs: memory(Object.fromEntries(files.map((file) => [file, 'hit\n']))) })
    for (let round = 0; round < 8; round += 1) {
      const paths = Array.from({ length: 1 + random(3) }, () => {
        const parts = (files[random(files.length)] as string).split('/')
        return parts.slice(0, 1 + random(parts.length)).join('/')
      })
      const exclude = [names[random(names.length)] as string].filter((name) => !/[[!]/.test(name))
      const args = { pattern: 'hit', paths, exclude, output: 'files' }
      const text = (await callTool(workspace, polyfs, 'grep', args)).content[0]?.text ?? ''
      const found = text === '(no matches)' ? [] : text.split('\n')
      // ripgrep reports a file for each path that leads to it.
      const expected = [...new Set(ripgrep(root, exclude, undefined, paths))]
      expect({ files, paths, exclude, found: found.sort() }).toEqual({ files, paths, exclude, found: expected })
    }
  }
})

function plant(root: string, files: readonly string[]): void {
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), 'hit\n')
  }
}

function ripgrep(root: string, exclude: readonly string[], glob?: string, paths: readonly string[] = []): string[] {
  const globs = [...(glob === undefined ? [] : ['-g', glob]), ...exclude.flatMap((pattern) => ['-g', `!${pattern}`])]
  const args = ['--files', '--hidden', '--no-ignore', ...globs, '--', ...paths]
  const { status, stdout, stderr } = spawnSync('rg', args, { cwd: root })
  if (status === 2) throw new Error(String(stderr))
  return String(stdout).split('\n').filter(Boolean).sort()
}

test('what ripgrep does not say: ./ is the searched directory, and a wildcard matches a whole character', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.md': '', 'd/a.md': '', 'é.md': '', 'd/é.md': '' }) })
  const left = async (args: object) =>
    (await callTool(workspace, polyfs, 'glob', { pattern: '**', ...args })).content[0]?.text?.split('\n')
  expect(await left({ exclude: ['./a.md'] })).toEqual(['d/a.md', 'd/é.md', 'é.md'])
  expect(await left({ exclude: ['?.md'] })).toEqual(['(no matches)'])
  expect(await left({ exclude: '[!a].md' })).toEqual(['a.md', 'd/a.md'])
})

test('exclude is written without an exclamation mark', async () => {
  const workspace = createWorkspace({ fs: memory({ 'a.md': '', '!b.md': '' }) })
  const text = async (args: object) => (await callTool(workspace, polyfs, 'glob', args)).content[0]?.text
  const refusal =
    'invalid_pattern: The pattern "!a.md" can\'t be understood: what to exclude is written without !. Correct it.'
  expect(await text({ pattern: '**', exclude: ['!a.md'] })).toBe(refusal)
  expect(await text({ pattern: '!!a.md' })).toBe(refusal.replace('!a', '!!a'))
  expect(await text({ pattern: '!' })).toBe('invalid_pattern: The pattern "!" can\'t be understood: empty. Correct it.')
  expect(await text({ pattern: '\\!b.md' })).toBe('!b.md')
  expect(await text({ pattern: '**', exclude: ['\\!b.md'] })).toBe('a.md')
})
