/**
 * Run by Node for Windows: paths that try to leave a root, through every tool that takes one. Prints what was tried, and what got out:
 * words of files outside, or a change to them.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tools } from '../../dist/index.js'
import { openDirectories } from '../../dist/node/index.js'

const base = mkdtempSync(join(tmpdir(), 'polyfs-attacks-'))
const root = join(base, 'Root')
const outside = join(base, 'outside')
const canary = 'CANARY'
const { cases } = JSON.parse(readFileSync(new URL('../data/attacks.json', import.meta.url), 'utf8'))

/** Second names of things on Windows, besides the corpus that all hosts have. */
const ofWindows = [
  '..\\outside\\secret.txt',
  'sub\\..\\..\\outside\\secret.txt',
  'sub/..\\../outside\\secret.txt',
  '{O}\\secret.txt',
  '\\\\?\\{O}\\secret.txt',
  '\\\\.\\{O}\\secret.txt',
  '\\??\\{O}\\secret.txt',
  '\\\\localhost\\c$\\secret.txt',
  '//localhost/c$/secret.txt',
  '\\\\?\\UNC\\localhost\\c$\\secret.txt',
  'C:secret.txt',
  'C:..\\outside\\secret.txt',
  '\\secret.txt',
  '{R}\\..\\outside\\secret.txt',
  '{R}.\\..\\outside\\secret.txt',
  '{R}2\\secret.txt',
  'sub\\a.txt::$DATA',
  'sub\\a.txt:stream',
  'sub::$INDEX_ALLOCATION\\..\\..\\outside\\secret.txt',
  'CON',
  'sub\\NUL',
  'nul.txt',
  'COM1',
  'COM¹',
  'sub\\aux.c',
  'CONIN$',
  'sub\\a.txt.',
  'sub\\a.txt ',
  '.. \\outside\\secret.txt',
  '...\\outside\\secret.txt',
  'OUTSID~1\\secret.txt',
  '..\\OUTSID~1\\secret.txt',
  'sub\\<x>',
  'sub\\a|b',
  '.GIT\\hooks\\pre-commit',
  '.git \\hooks\\pre-commit',
  'GIT~1\\hooks\\pre-commit',
  '.git::$INDEX_ALLOCATION\\hooks\\pre-commit',
]

lay()
const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
  durable: false,
  commands: false,
  protect: { git: true },
})
const { call } = tools(workspace)
const given = [...cases.map(({ path }) => path), ...ofWindows]
  .map((path) => (typeof path === 'string' ? path : path.repeat.repeat(path.times) + path.then))
  .map((path) => path.replaceAll('{R}', root).replaceAll('{B}', base).replaceAll('{O}', outside))
const before = state(base)
const report = { tried: 0, refused: 0, escapes: [] }
for (const path of given) {
  for (const [tool, args] of [
    ['read_file', { path }],
    ['list_dir', { path }],
    ['grep', { pattern: canary, path }],
    ['write_file', { path, content: 'written', overwrite: true }],
    ['edit_file', { path, old_string: canary, new_string: 'edited' }],
    ['move', { source: path, destination: 'taken' }],
    ['copy', { source: path, destination: 'copied' }],
    ['move', { source: 'sub/a.txt', destination: path }],
    ['delete', { path }],
  ]) {
    report.tried += 1
    const { content, isError } = await call(tool, args)
    const said = content.map(({ text = '' }) => text).join('\n')
    if (isError) report.refused += 1
    if (said.replaceAll(path, '').includes(canary) && tool !== 'grep')
      report.escapes.push(`${tool} ${path}: ${said.slice(0, 200)}`)
    const now = state(base)
    if (now !== before) report.escapes.push(`${tool} ${path} changed what is outside: ${now}`)
  }
  // What the calls before did inside is of no interest here.
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true, maxRetries: 5 })
  layInside()
}
workspace.close()
rmSync(base, { recursive: true, force: true })
console.log(JSON.stringify(report))
process.exit(0)

function lay() {
  for (const directory of [outside, `${root}2`]) mkdirSync(directory)
  for (const directory of [outside, `${root}2`, base])
    writeFileSync(join(directory, 'secret.txt'), `${canary} of ${directory}\n`)
  layInside()
}

function layInside() {
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(join(root, '.git', 'hooks'), { recursive: true })
  writeFileSync(join(root, 'sub', 'a.txt'), 'inside\n')
}

/** All there is beside the root, and the hooks that git would run. */
function state(directory) {
  const files = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const at = join(directory, entry.name)
    if (at === root) return existsIn(join(root, '.git', 'hooks'))
    return entry.isDirectory() ? [at, ...state(at)] : [`${at}: ${readFileSync(at, 'utf8')}`]
  })
  return files.join('\n')
}

function existsIn(directory) {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
