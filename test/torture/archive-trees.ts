/** Trees generated from a seed, on disk, and the content of a directory, to compare what was extracted from an archive. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Random } from '../core/search/generated-trees.js'

/** Parts of names that every system accepts. */
const portableNames = [
  ...[
    'a',
    'b.txt',
    'c d',
    'README.md',
    '-dash',
    '.hidden',
    'x;1',
    '#hash',
    "it's",
    'a b  c',
    '[set]',
    'star*',
    '$HOME',
  ],
  ...[
    'größe',
    'gro\u0308ße',
    '文字.txt',
    '😀',
    'é',
    'e\u0301',
    'ﬁ',
    'ñandú',
    '\u00a0',
    'line\nbreak',
    'tab\t',
    '\u202e',
  ],
  ...[
    '\u00ff',
    'Ω',
    '%41',
    'x~',
    'trailing.',
    'trailing ',
    ' leading',
    '...',
    'con1',
    'nul-',
    `${'n'.repeat(250)}.txt`,
  ],
]

/** Parts of names that extract refuses, because some system gives them another meaning. */
const oddNames = [
  '12:30.log',
  'aux.txt',
  'back\\s',
  'NUL',
  'a.txt:evil',
  'C:',
  '~',
  '~x',
  'CON.tar.gz',
  '\\',
  '.git',
  'lpt1 .txt',
]

/** Around the size of a block, of a piece and of the buffer. */
const sizes = [0, 1, 2, 100, 4095, 4096, 65_535, 65_536, 65_537, 1024 * 1024, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1]

export interface TreeOptions {
  links?: boolean
  odd?: boolean
  /** One in so many files has a size around a limit. */
  largeOneIn?: number
}

/** Fills an empty directory. */
export function plantTree(root: string, random: Random, { links = false, odd = false, largeOneIn = 8 }: TreeOptions) {
  const directories = ['']
  for (let count = random(24); count > 0; count -= 1) {
    const names = odd && random(6) === 0 ? oddNames : portableNames
    const parent = directories[random(directories.length)] as string
    const name = path.join(parent, names[random(names.length)] as string)
    // An archive refuses longer ones.
    if (Buffer.byteLength(name) > 1000 || fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })) continue
    const at = path.join(root, name)
    if (links && random(6) === 0) fs.symlinkSync(['a', '..', '/etc/passwd', 'nowhere'][random(4)] as string, at)
    else if (random(3) === 0) {
      fs.mkdirSync(at)
      directories.push(name)
    } else fs.writeFileSync(at, contentFrom(random, random(largeOneIn) === 0))
  }
  // Entries first: creating them changes the time of their directory.
  for (const name of [...namesBelow(root, '')].reverse()) {
    const at = path.join(root, name)
    const stat = fs.lstatSync(at)
    if (stat.isSymbolicLink()) continue
    // Readable by its owner, because tests also run as an ordinary user.
    fs.chmodSync(at, random(0o1000) | (stat.isDirectory() ? 0o700 : 0o600))
    const seconds = timeFrom(random)
    fs.utimesSync(at, seconds, seconds)
  }
}

/** Within the years that every time format has, with fractions of a second. */
function timeFrom(random: Random): number {
  const [from, to] = [Date.UTC(1981, 0, 1) / 1000, Date.UTC(2037, 0, 1) / 1000]
  return from + random(to - from) + random(1000) / 1000
}

function contentFrom(random: Random, isLarge: boolean): Uint8Array {
  const size = isLarge ? (sizes[random(sizes.length)] as number) : random(300)
  const kind = random(3)
  if (kind === 0) return new Uint8Array(size).fill(random(256))
  if (kind === 1) return Buffer.from('all work and no play '.repeat(1 + size / 21)).subarray(0, size)
  let state = random(2 ** 32) | 1
  return Uint8Array.from({ length: size }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state
  })
}

/** Directories before their entries. */
function* namesBelow(root: string, directory: string): Generator<string> {
  const entries = fs.readdirSync(path.join(root, directory), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = path.join(directory, entry.name)
    yield name
    // A directory whose name is not UTF-8 can't be entered.
    if (entry.isDirectory() && fs.existsSync(path.join(root, name))) yield* namesBelow(root, name)
  }
}

export interface Found {
  kind: 'file' | 'directory' | 'link' | 'other'
  /** The target of a link, or the hash of a file's content. */
  content?: string
  mode: number
  /** In whole seconds. */
  modified: number
}

/** All entries below a directory, by path. */
export function treeAt(root: string): Record<string, Found> {
  const found: Record<string, Found> = {}
  for (const name of namesBelow(root, '')) {
    const at = path.join(root, name)
    // Undefined for a name that is not UTF-8.
    const stat = fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined) {
      found[name] = { kind: 'other', mode: 0, modified: 0 }
      continue
    }
    const known = { mode: stat.mode & 0o777, modified: Math.floor(stat.mtimeMs / 1000) }
    if (stat.isSymbolicLink()) found[name] = { kind: 'link', content: fs.readlinkSync(at), mode: 0, modified: 0 }
    else if (stat.isDirectory()) found[name] = { kind: 'directory', ...known }
    else if (stat.isFile()) found[name] = { kind: 'file', content: hashOf(fs.readFileSync(at)), ...known }
    else found[name] = { kind: 'other', ...known }
  }
  return found
}

export function hashOf(bytes: Uint8Array): string {
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}

/** Removes a file or a directory, read-only ones too. */
export function clear(name: string): void {
  try {
    fs.rmSync(name, { recursive: true, force: true })
  } catch {
    execFileSync('chmod', ['-R', 'u+rwx', name])
    fs.rmSync(name, { recursive: true, force: true })
  }
}
