/** The documentation is true: examples run and print what the page says, links lead to files, commands exist. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headingAnchors } from '../../build/site/pages.mjs'
import { help } from '../../node/cli/help.js'
import { withoutSessions } from '../change-ids.js'
import { longTest } from '../scale.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const pages = [
  ...(await readdir(root)).filter((name) => name.endsWith('.md')),
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/README.md',
  'examples/cloudflare/README.md',
  'examples/servers/README.md',
  'clients/python/README.md',
]
const programs = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.ts'))
const contents = new Map(
  await Promise.all(pages.map(async (page) => [page, await readFile(join(root, page), 'utf8')] as const)),
)
const blocks = [...contents].flatMap(([page, text]) => blocksOf(page, text))
/** A `ts` block, with the `text` block right after it that says what it prints. `ts page` blocks need a browser. */
const examplesInPages = blocks
  .map((block, index) => ({ ...block, prints: blocks[index + 1] }))
  .filter(({ language }) => language === 'ts' || language === 'ts page')
  .map(({ prints, ...block }) => ({ ...block, prints: prints?.language === 'text' ? prints.body : undefined }))
/** The programs in examples/, with the `text` block below their name in its README. */
const examplePrograms = await Promise.all(
  programs.map(async (file) => ({
    page: `examples/${file}`,
    line: 1,
    file,
    language: 'ts',
    body: await readFile(join(root, 'examples', file), 'utf8'),
    prints: contents.get('examples/README.md')?.split(`\n## ${file}\n`)[1]?.split('```text\n')[1]?.split('```')[0],
  })),
)
const examples = [...examplesInPages, ...examplePrograms]

let directory: string

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/declarations'))) throw new Error('dist is missing or incomplete: npm run build')
  directory = await mkdtemp(join(tmpdir(), 'polyfs-docs-'))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }))
  await mkdir(join(directory, 'node_modules'))
  await symlink(root, join(directory, 'node_modules/polyfs'), 'junction')
  for (const name of ['zod', 'ai']) {
    await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name), 'junction')
  }
  for (const { file, body } of examples) await writeFile(join(directory, file), body)
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

describe('examples', () => {
  test('there are some', () => {
    expect(examples.filter(({ prints }) => prints !== undefined).length).toBeGreaterThan(1)
  })

  const runnable = examples.filter(({ language }) => language === 'ts')
  test.each(runnable)('$page, line $line', async ({ file, body, prints }) => {
    const { code } = await transformWithOxc(body, file)
    await writeFile(join(directory, `${file}.mjs`), code)
    const { stdout } = await run(process.execPath, [`${file}.mjs`], { cwd: directory })
    expect(withoutSessions(stdout)).toBe(withoutSessions(prints ?? ''))
  })

  test('are typed', async () => {
    const { stdout } = await run(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.asynciterable'],
        ...['--module', 'nodenext', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'],
        ...examples.map(({ file }) => file),
      ],
      { cwd: directory },
    ).catch((error) => ({ stdout: error.stdout }))
    expect(stdout).toBe('')
  })
})

test('links lead to files and headings that exist', () => {
  const broken = [...contents].flatMap(([page, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)]
      .map(([, path = '', anchor = '']) => ({ target: path === '' ? page : join(dirname(page), path), anchor }))
      .filter(({ target, anchor }) => !existsSync(join(root, target)) || !hasHeading(target, anchor))
      .map(({ target, anchor }) => `${page}: ${target}${anchor && `#${anchor}`}`),
  )
  expect(broken).toEqual([])
})

test('files named in backticks exist', () => {
  const missing = [...contents].flatMap(([page, text]) =>
    [...text.matchAll(/`((?:src|node|web|test|docs|examples|playground|dist)\/[\w./-]+\.\w+)`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(join(root, file)))
      .map((file) => `${page}: ${file}`),
  )
  expect(missing).toEqual([])
})

test('commands are scripts of the package', () => {
  // Commands of npm itself, and prose about packages of npm.
  const own = ['ci', 'install', 'uninstall', 'pack', 'publish', 'package', 'packages', '11', 'and']
  // These pages are about the `npm` of the emulated shell.
  const emulated = new Set(['docs/emulated-shell.md', 'docs/decisions/npm-installs-by-its-own-rules.md'])
  const texts = [...contents].flatMap(([page, text]) => (emulated.has(page) ? [] : [text]))
  const named = texts.flatMap((text) => [...text.matchAll(/\bnpm (?:run )?(\w[\w:-]*)/g)].map(([, name = '']) => name))
  expect([...new Set(named)].filter((name) => !own.includes(name) && !(name in manifest.scripts))).toEqual([])
})

test('docs/command.md shows the options as the command does', () => {
  const usage = help.slice(help.indexOf('Usage:'), help.indexOf('\n\nFlags of other servers'))
  expect(
    blocks.filter(({ page, body }) => page === 'docs/command.md' && body.startsWith('Usage:')).map(({ body }) => body),
  ).toEqual([`${usage}\n`])
})

test('every page of docs/ can be reached from README.md', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const [, path = ''] of contents.get(page)?.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g) ?? [])
      reached.add(join(dirname(page), path))
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([])
})

longTest('the commands of README.md work as they stand, with an agent that does nothing for the model', async () => {
  const project = join(directory, 'project')
  await mkdir(join(project, '.cursor'), { recursive: true })
  const lines = blocks
    .filter(({ page, language }) => page === 'README.md' && language === 'sh')
    .flatMap(({ body }) => body.trim().split('\n'))
    .filter((line) => line.startsWith('node '))
  expect(lines).toHaveLength(4)
  for (const line of lines) {
    const given = line
      .split(' ')
      .slice(2)
      .join(' ')
      .replace('~/project', project)
      .replace('examples/tasks', join(root, 'examples/tasks'))
      .replace(/--agent chat --model \S+/, '--agent nop')
      .replace(/^init /, 'init --yes ')
    const env = { ...process.env, HOME: project, USERPROFILE: project }
    await run(process.execPath, [join(root, 'dist/node/cli.js'), ...given.split(' ')], { cwd: project, env })
  }
  const { mcpServers } = JSON.parse(await readFile(join(project, '.cursor/mcp.json'), 'utf8'))
  expect(mcpServers.files.args.at(-1)).toBe(project)
  const passed = async (name: string) =>
    (await readFile(join(project, name, 'results.jsonl'), 'utf8')).split('"passed"').length - 1
  expect([await passed('solved'), await passed('model')]).toEqual([36, 0])
})

interface Block {
  page: string
  line: number
  file: string
  language: string
  body: string
}

function hasHeading(target: string, anchor: string): boolean {
  return anchor === '' || headingAnchors(contents.get(target) ?? '').includes(anchor)
}

function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map((match) => {
    const [, language = '', body = ''] = match
    const line = text.slice(0, match.index).split('\n').length
    return { page, line, file: `${page.replace(/\W/g, '-')}-${line}.ts`, language, body }
  })
}
