/** Lists directories as a tree. */
import type { Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { below, changedOf, modeOf, modeText, modifiedOf, sizeOf, statIfThere, userName } from '../shared/facts.js'
import { namePattern } from '../shared/name-pattern.js'
import { compareBytes, compareVersions } from '../shared/order.js'
import { timeText } from '../shared/times.js'

const options = {
  all: { names: ['-a'] },
  directories: { names: ['-d'] },
  follow: { names: ['-l'] },
  fullPath: { names: ['-f'] },
  oneFileSystem: { names: ['-x'] },
  level: { names: ['-L'], value: 'required' },
  levelLong: { names: ['--level'], value: 'required' },
  pattern: { names: ['-P'], value: 'required' },
  ignore: { names: ['-I'], value: 'required' },
  ignoreCase: { names: ['--ignore-case'] },
  matchDirectories: { names: ['--matchdirs'] },
  prune: { names: ['--prune'] },
  noReport: { names: ['--noreport'] },
  filesLimit: { names: ['--filelimit'], value: 'required' },
  charset: { names: ['--charset'], value: 'required' },
  indentOff: { names: ['-i'] },
  ascii: { names: ['-A', '-S'] },
  noColor: { names: ['-n'] },
  quote: { names: ['-Q'] },
  literal: { names: ['-N'] },
  questionMarks: { names: ['-q'] },
  permissions: { names: ['-p'] },
  owner: { names: ['-u'] },
  group: { names: ['-g'] },
  size: { names: ['-s'] },
  human: { names: ['-h'] },
  si: { names: ['--si'] },
  usage: { names: ['--du'] },
  date: { names: ['-D'] },
  timeFormat: { names: ['--timefmt'], value: 'required' },
  classify: { names: ['-F'] },
  byVersion: { names: ['-v'] },
  byTime: { names: ['-t'] },
  byChange: { names: ['-c'] },
  unsorted: { names: ['-U'] },
  reverse: { names: ['-r'] },
  directoriesFirst: { names: ['--dirsfirst'] },
  filesFirst: { names: ['--filesfirst'] },
  sort: { names: ['--sort'], value: 'required' },
  output: { names: ['-o'], value: 'required' },
  json: { names: ['-J'] },
} as const

type Given = ParsedArguments<typeof options>

interface Node {
  name: string
  path: string
  stat: Stat
  target?: string
  /** Where a link leads, if that is a directory. */
  leadsToDirectory: boolean
  children?: Node[]
  /** Said after the name instead of its children. */
  problem?: string
  /** False for an operand that is not there. */
  exists: boolean
  size: number
  /** Without what it contains. */
  ownSize: number
}

/** What a node takes in memory, roughly. */
const nodeBytes = 300

interface Work {
  io: ProgramIo
  given: Given
  depth: number
  isWanted(name: string, isDirectory: boolean): boolean
  compare: ((a: Node, b: Node) => number) | undefined
  lines: Lines
  /** Real paths of the directories so far, where links are followed: none is shown twice. */
  entered: Set<string>
}

interface Lines {
  branch: string
  last: string
  through: string
  blank: string
}

const unicodeLines: Lines = { branch: '├── ', last: '└── ', through: '│\u00a0\u00a0 ', blank: '    ' }
const asciiLines: Lines = { branch: '|-- ', last: '`-- ', through: '|   ', blank: '    ' }

export const tree = defineProgram({
  name: 'tree',
  usage: '[OPTION]... [DIRECTORY]...',
  usageHint: 'usage: tree [OPTION]... [DIRECTORY]...',
  options,
  unsupported: [
    '-C',
    '-H',
    '-T',
    '-R',
    '-X',
    '--nolinks',
    '--gitignore',
    '--gitfile',
    '--fromfile',
    '--fromtabfile',
    '--info',
    '--infofile',
    '--inodes',
    '--device',
    '--metafirst',
    '--hintro',
    '--houtro',
    '--scheme',
    '--authority',
  ],
  async run(io, given) {
    const work = workOf(io, given)
    const roots: Node[] = []
    let status = 0
    for (const path of given.operands.length > 0 ? given.operands : ['.']) {
      const root = await rootNode(work, path)
      if (!root.exists) status = 2
      roots.push(root)
    }
    const text = given.has('json') ? jsonText(work, roots) : roots.map((root) => treeText(work, root)).join('')
    const report = given.has('noReport') || given.has('json') ? '' : `\n${reportText(work, roots)}\n`
    const output = given.value('output')
    if (output === undefined) await io.stdout.write(text + report)
    else {
      const writer = await io.fs.openWrite(output)
      await writer.write(new TextEncoder().encode(text + report))
      await writer.close()
    }
    return status
  },
})

function workOf(io: ProgramIo, given: Given): Work {
  const level = given.value(given.last('level', 'levelLong') ?? 'level')
  if (level !== undefined && !/^[1-9]\d*$/.test(level)) throw new ProgramError('Invalid level, must be greater than 0.')
  const charset = given.value('charset')
  const isAscii = given.has('ascii') ? false : charset !== undefined && !/^utf-?8$/i.test(charset)
  return {
    io,
    given,
    depth: level === undefined ? Number.POSITIVE_INFINITY : Number(level),
    isWanted: nameFilter(given),
    compare: comparer(given),
    lines: isAscii ? asciiLines : unicodeLines,
    entered: new Set(),
  }
}

/** `|` separates alternatives; a `/` at the end of one limits it to directories. */
function nameFilter(given: Given): Work['isWanted'] {
  const matchers = (key: 'pattern' | 'ignore') =>
    given.values(key).flatMap((value) =>
      value.split('|').map((pattern) => {
        const isForDirectories = pattern.endsWith('/')
        const matches = namePattern(pattern.replace(/\/$/, ''), { ignoreCase: given.has('ignoreCase') })
        return (name: string, isDirectory: boolean) => (!isForDirectories || isDirectory) && matches(name)
      }),
    )
  const wanted = matchers('pattern')
  const ignored = matchers('ignore')
  return (name, isDirectory) => {
    if (!given.has('all') && name.startsWith('.')) return false
    if (ignored.some((matches) => matches(name, isDirectory))) return false
    if (wanted.length === 0 || (isDirectory && !given.has('matchDirectories'))) return true
    return isDirectory || wanted.some((matches) => matches(name, isDirectory))
  }
}

function comparer(given: Given): Work['compare'] {
  const last = given.last('byVersion', 'byTime', 'byChange', 'unsorted', 'sort')
  const sort = last === 'sort' ? given.value('sort') : last
  const byName = (a: Node, b: Node) => compareBytes(a.name, b.name)
  const orders: Readonly<Record<string, (a: Node, b: Node) => number>> = {
    name: byName,
    byVersion: (a, b) => compareVersions(a.name, b.name),
    version: (a, b) => compareVersions(a.name, b.name),
    byTime: (a, b) => modifiedOf(a.stat) - modifiedOf(b.stat) || byName(a, b),
    mtime: (a, b) => modifiedOf(a.stat) - modifiedOf(b.stat) || byName(a, b),
    byChange: (a, b) => changedOf(a.stat) - changedOf(b.stat) || byName(a, b),
    ctime: (a, b) => changedOf(a.stat) - changedOf(b.stat) || byName(a, b),
    size: (a, b) => b.size - a.size || byName(a, b),
  }
  if (sort === 'unsorted' || sort === 'none') return undefined
  const order = orders[sort ?? 'name']
  if (order === undefined)
    throw new ProgramError(`Sort type '${sort}' not valid, should be one of: name,version,size,mtime,ctime`)
  const directed = given.has('reverse') ? (a: Node, b: Node) => order(b, a) : order
  const first = given.last('directoriesFirst', 'filesFirst')
  if (first === undefined) return directed
  const rank = (node: Node) => (isDirectory(node) === (first === 'directoriesFirst') ? 0 : 1)
  return (a, b) => rank(a) - rank(b) || directed(a, b)
}

function isDirectory({ stat, leadsToDirectory }: Node): boolean {
  return stat.kind === 'directory' || leadsToDirectory
}

async function rootNode(work: Work, path: string): Promise<Node> {
  const { io } = work
  const stat = await statIfThere(io.fs, path)
  const size = stat === undefined ? 0 : sizeOf(stat)
  const node: Node = {
    name: path,
    path,
    stat: stat ?? { kind: 'file' },
    leadsToDirectory: false,
    exists: stat !== undefined,
    size,
    ownSize: size,
  }
  if (stat?.kind !== 'directory') return { ...node, problem: ' [error opening dir]' }
  return withChildren(work, node, 0)
}

async function withChildren(work: Work, node: Node, depth: number): Promise<Node> {
  const { io, given } = work
  if (depth >= work.depth) return node
  io.step()
  if (given.has('follow')) work.entered.add(await io.fs.realPath(node.path))
  let entries: Awaited<ReturnType<typeof io.fs.readDir>>
  try {
    entries = await io.fs.readDir(node.path)
  } catch {
    return { ...node, problem: ' [error opening dir]' }
  }
  const children: Node[] = []
  io.account(entries.length * nodeBytes)
  for (const { name, kind } of entries) {
    const child = await childNode(work, below(node.path, name), name, kind)
    if (!work.isWanted(name, isDirectory(child))) continue
    if (given.has('directories') && !isDirectory(child)) continue
    children.push(await descended(work, child, depth + 1))
  }
  const limit = Number(given.value('filesLimit') ?? Number.POSITIVE_INFINITY)
  if (children.length > limit) {
    return { ...node, problem: ` [${children.length} entries exceeds filelimit, not opening dir]` }
  }
  const kept = given.has('prune')
    ? children.filter(
        (child) => !isDirectory(child) || child.stat.kind === 'symlink' || (child.children?.length ?? 0) > 0,
      )
    : children
  if (work.compare !== undefined) kept.sort(work.compare)
  const size = given.has('usage') ? kept.reduce((sum, child) => sum + child.size, node.size) : node.size
  return { ...node, children: kept, size }
}

async function childNode(work: Work, path: string, name: string, kind: Stat['kind']): Promise<Node> {
  const { io, given } = work
  const keys = [
    'permissions',
    'size',
    'human',
    'si',
    'usage',
    'date',
    'classify',
    'byTime',
    'byChange',
    'sort',
  ] as const
  const stat = keys.some((key) => given.has(key)) ? await io.fs.lstat(path) : { kind }
  if (kind !== 'symlink')
    return { name, path, stat, leadsToDirectory: false, exists: true, size: sizeOf(stat), ownSize: sizeOf(stat) }
  const target = await io.fs.readLink(path)
  const leadsToDirectory = (await statIfThere(io.fs, path))?.kind === 'directory'
  const size = sizeOf(stat, target)
  return { name, path, stat, target, leadsToDirectory, exists: true, size, ownSize: size }
}

/** Links to directories are entered with `-l`. */
async function descended(work: Work, node: Node, depth: number): Promise<Node> {
  if (node.stat.kind === 'directory') return withChildren(work, node, depth)
  if (!node.leadsToDirectory || !work.given.has('follow')) return node
  const isKnown = work.entered.has(await work.io.fs.realPath(node.path))
  return isKnown ? { ...node, problem: ' [recursive, not followed]' } : withChildren(work, node, depth)
}

function treeText(work: Work, root: Node): string {
  const { given, lines } = work
  const output = [`${labelOf(work, root, true)}\n`]

  function add(node: Node, indent: string): void {
    for (const [index, child] of (node.children ?? []).entries()) {
      const isLast = index === (node.children?.length ?? 0) - 1
      const lead = given.has('indentOff') ? '' : indent + (isLast ? lines.last : lines.branch)
      output.push(`${lead}${labelOf(work, child, false)}\n`)
      add(child, indent + (isLast ? lines.blank : lines.through))
    }
  }

  add(root, '')
  return output.join('')
}

function labelOf(work: Work, node: Node, isRoot: boolean): string {
  const { given } = work
  const facts = factsOf(work, node)
  const shown = isRoot || given.has('fullPath') ? node.path : node.name
  const name = given.has('quote') ? `"${shown}"` : shown
  const target = node.target === undefined ? '' : ` -> ${given.has('quote') ? `"${node.target}"` : node.target}`
  const problem = node.problem === undefined ? '' : ` ${node.problem}`
  const mark = given.has('classify') ? indicator(node) : ''
  return `${facts === '' ? '' : `[${facts}]  `}${name}${node.target === undefined ? mark : ''}${target}${node.target === undefined ? '' : mark}${problem}`
}

function indicator({ name, stat, leadsToDirectory }: Node): string {
  if (leadsToDirectory) return '/'
  if (stat.kind === 'directory') return name.endsWith('/') ? '' : '/'
  return stat.kind === 'file' && modeOf(stat) & 0o111 ? '*' : ''
}

function factsOf({ io, given }: Work, { stat, size }: Node): string {
  const facts: string[] = []
  if (given.has('permissions')) facts.push(modeText(stat))
  if (given.has('owner')) facts.push(userName.padEnd(8))
  if (given.has('group')) facts.push(userName.padEnd(8))
  if (given.has('human') || given.has('si')) facts.push(humanText(size, given.has('si') ? 1000 : 1024).padStart(4))
  else if (given.has('size') || given.has('usage')) facts.push(String(size).padStart(11))
  if (given.has('date') || given.has('timeFormat')) facts.push(dateText(io, given, modifiedOf(stat)))
  return facts.join(' ')
}

function dateText(io: ProgramIo, given: Given, ms: number): string {
  const format = given.value('timeFormat')
  if (format !== undefined) return timeText(io, ms, format)
  const isRecent = ms > io.now() - 182 * 86_400_000 && ms <= io.now()
  return timeText(io, ms, isRecent ? '%b %e %H:%M' : '%b %e  %Y')
}

/** Rounded to the nearest, unlike the sizes of `ls`. */
function humanText(size: number, base: number): string {
  if (size < base) return String(size)
  const letters = base === 1000 ? 'kMGTPE' : 'KMGTPE'
  let value = size
  let power = -1
  while (value >= base) {
    value /= base
    power += 1
  }
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)}${letters.charAt(power)}`
}

interface Counts {
  directories: number
  files: number
  /** Each entry as often as it is deep, which is how `--du` adds them up. */
  bytes: number
}

function counted(roots: readonly Node[]): Counts {
  const counts: Counts = { directories: 0, files: 0, bytes: 0 }
  const add = (node: Node, depth: number) => {
    for (const child of node.children ?? []) {
      if (isDirectory(child)) counts.directories += 1
      else counts.files += 1
      counts.bytes += child.ownSize * depth
      add(child, depth + 1)
    }
  }
  for (const root of roots) {
    // A root counts when it has something to show.
    const isShown = (root.children?.length ?? 0) > 0 || (root.stat.kind === 'directory' && root.problem !== undefined)
    if (isShown) counts.directories += 1
    else if (root.stat.kind !== 'directory' && root.exists) counts.files += 1
    add(root, 1)
  }
  return counts
}

function reportText({ given }: Work, roots: readonly Node[]): string {
  const { directories, files, bytes } = counted(roots)
  const used = given.has('usage')
    ? `${given.has('human') ? humanText(bytes, 1024).padStart(5) : String(bytes).padStart(12)}${given.has('human') ? '' : ' bytes'} used in `
    : ''
  const text = `${used}${directories} director${directories === 1 ? 'y' : 'ies'}`
  return given.has('directories') ? text : `${text}, ${files} file${files === 1 ? '' : 's'}`
}

function jsonText(work: Work, roots: readonly Node[]): string {
  const { given } = work
  const lines: string[] = []
  const kind = ({ stat }: Node) => ({ file: 'file', directory: 'directory', symlink: 'link', other: 'char' })[stat.kind]

  function add(node: Node, indent: string, end: string, isRoot: boolean): void {
    const name = isRoot || given.has('fullPath') ? node.path : node.name
    const target = node.target === undefined ? '' : `,"target":${JSON.stringify(node.target)}`
    const mode = given.has('permissions')
      ? `,"mode":"${modeOf(node.stat).toString(8).padStart(4, '0')}","prot":"${modeText(node.stat)}"`
      : ''
    const size = given.has('size') || given.has('usage') ? `,"size":${node.size}` : ''
    const head = `${indent}{"type":"${kind(node)}","name":${JSON.stringify(name)}${target}${mode}${size}`
    const { children = [] } = node
    if (children.length === 0) {
      lines.push(`${head}${node.problem !== undefined ? ',"error": "error opening dir"' : ''}}${end}`)
      return
    }
    lines.push(`${head},"contents":[`)
    for (const [index, child] of children.entries())
      add(child, `${indent}  `, index < children.length - 1 ? ',' : '', false)
    lines.push(`${indent}]}${end}`)
  }

  for (const [index, root] of roots.entries()) add(root, '  ', index < roots.length - 1 ? ',' : '', true)
  const { directories, files } = counted(roots)
  const report = given.has('noReport')
    ? ''
    : `,\n  {"type":"report","directories":${directories}${given.has('directories') ? '' : `,"files":${files}`}}\n`
  return `[\n${lines.join('\n')}\n${report}]\n`
}
