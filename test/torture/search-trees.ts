/** Trees generated from a seed, written twice: as they are, and for ripgrep only files that git does not ignore, with LF line ends. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Random } from '../core/search/generated-trees.js'
import { words } from './search-patterns.js'

export interface Planted {
  root: string
  /** What ripgrep searches. */
  twin: string
  /** Files and links that git does not ignore. */
  visible: string[]
}

const names = ['a.txt', 'b.md', 'c.log', 'd', '.hidden', 'e f.txt', 'ü.txt', 'out', 'x.tmp', 'Z.TXT', '-dash', "q'.md"]
const directories = ['', 'src', 'src/lib', 'build', 'docs', '.config', 'docs/a b', 'src/lib/deep']
const rules = [
  '*.log',
  'build/',
  '/d',
  '!c.log',
  '**/x.tmp',
  'src/*',
  '!src/lib',
  'lib/deep',
  '.hidden',
  '*.TXT',
  '# no',
  '\\#',
  'a b/',
]

export function plant(scratch: string, name: string, random: Random): Planted {
  const root = path.join(scratch, name)
  const twin = path.join(scratch, `${name}-twin`)
  fs.mkdirSync(root, { recursive: true })
  fs.mkdirSync(twin)
  git(root, 'init', '-q')
  for (const directory of directories) {
    if (directory !== '' && random(4) === 0) continue
    fs.mkdirSync(path.join(root, directory), { recursive: true })
    for (let count = random(6); count > 0; count -= 1) {
      const at = path.join(root, directory, names[random(names.length)] as string)
      if (fs.lstatSync(at, { throwIfNoEntry: false })) continue
      if (random(12) === 0) fs.symlinkSync(random(2) === 0 ? 'a.txt' : 'nowhere', at)
      else fs.writeFileSync(at, contentFrom(random))
    }
    if (random(3) > 0) continue
    const lines = Array.from({ length: 1 + random(3) }, () => rules[random(rules.length)])
    fs.writeFileSync(path.join(root, directory, '.gitignore'), `${lines.join('\n')}\n`)
  }
  const visible = git(root, 'ls-files', '-co', '--exclude-standard', '-z').split('\0').filter(Boolean).sort()
  for (const file of visible) copyForRipgrep(path.join(root, file), path.join(twin, file))
  return { root, twin, visible }
}

/** A file with a NUL is binary to us, and to ripgrep from there on. */
function copyForRipgrep(from: string, to: string): void {
  if (!fs.lstatSync(from).isFile()) return
  const bytes = fs.readFileSync(from)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isUtf16 && bytes.includes(0)) return
  fs.mkdirSync(path.dirname(to), { recursive: true })
  fs.writeFileSync(to, isUtf16 ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))
}

function contentFrom(random: Random): Uint8Array {
  const kind = random(20)
  if (kind === 0) return new Uint8Array(0)
  if (kind === 1) return Buffer.from('foo\nbar\0foo\n')
  const text = textFrom(random)
  if (kind === 2) return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (kind === 3) return Buffer.from(`\ufeff${text}`)
  if (kind === 4) return Buffer.from(`${text}${'x'.repeat(5000)}foo${'y'.repeat(5000)}\n`)
  if (kind < 8) return Buffer.from(text.replaceAll('\n', '\r\n'))
  return Buffer.from(text)
}

function textFrom(random: Random): string {
  const lines = Array.from({ length: random(12) }, () => {
    const parts = Array.from(
      { length: random(4) },
      () => `${words[random(words.length)]}${[' ', '', '\t', '_', '7'][random(5)]}`,
    )
    return parts.join('')
  })
  return lines.join('\n') + (lines.length > 0 && random(4) > 0 ? '\n' : '')
}

export function git(root: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', HOME: root }
  return execFileSync('git', ['-C', root, '-c', 'core.quotePath=false', ...args], { env, encoding: 'utf8' })
}
