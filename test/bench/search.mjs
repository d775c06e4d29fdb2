import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { hugeText, packageTree, peers, treeWithIgnoreFiles } from './corpus.mjs'
import { compare, compareAll, timed } from './measure.mjs'
import { ripgreps } from './ripgrep.mjs'
import { connect } from './stdio-client.mjs'

/** Which files are searched, for rg and for us. */
const rgFiles = ['--hidden', '-g', '!.git']
const ignore = { always: ['.git'] }
const text = { nul: { first: 8192 } }

const treeOf = { medium: '5,000 files', large: '47,000 files' }

const queries = [
  { name: 'lines with a rare word', pattern: 'useImperativeHandle', target: 1 },
  { name: 'all lines with a frequent word', pattern: 'function', target: 1 },
  { name: 'how often a frequent word occurs in each file', pattern: 'function', mode: 'count', target: 1 },
  { name: 'files with a frequent word', pattern: 'function', mode: 'files', target: 1 },
  { name: 'lines with one of three names', pattern: 'createElement|addEventListener|removeChild', target: 1 },
  { name: 'regular expression with a word inside', pattern: '[A-Z][a-z]+Error\\(\\w+\\)', target: 1 },
  { name: 'regular expression without a word', pattern: '[0-9a-f]{8}-[0-9a-f]{4}', target: 1 },
  { name: 'a word in any case', pattern: 'typeerror', ignoreCase: true, target: 1 },
  { name: 'a whole word', pattern: 'dispose', wholeWord: true, target: 1 },
  {
    name: 'a match over several lines',
    pattern: 'export function \\w+\\([^)]*\\n[^)]*\\)',
    multiline: true,
    target: 1,
  },
]

export async function benchSearch(ours, rows, options) {
  const wanted = (name) => name.includes(options.only)
  const sizes = options.large ? ['medium', 'large'] : ['medium']
  const rivals = ripgreps(rows)
  for (const size of sizes) await againstRg(ours, rows, { ...options, size, wanted, rivals })
  for (const size of sizes) await againstServerFilesystem(ours, rows, { ...options, size, wanted })
  if (wanted(sizesOfFiles)) await listSizes(ours, rows, options)
  if (wanted('deep lines')) await deepLines(ours, rows, options)
  for (const count of [1000, 10_000]) {
    const name = `lines with a rare word in ${count} files in memory`
    if (wanted(name)) await againstJustBash(ours, rows, { ...options, count, name })
  }
  for (const size of sizes) await firstPage(ours, rows, { ...options, size, wanted })
  if (wanted('memory')) {
    if (process.platform === 'linux') memoryOfTrees(ours, rows, sizes)
    await memoryGrowth(ours, rows)
  }
}

async function againstRg(ours, rows, { size, rounds, wanted, rivals }) {
  const root = packageTree(size)
  // Not /dev/null: there rg stops at the first match.
  const output = fs.openSync(path.join(os.tmpdir(), `polyfs-bench-${process.pid}.out`), 'w')
  /** One row for each ripgrep, which must find as much as we do. */
  const beside = async (name, run, { args, cwd, target, found, count }) => {
    const theirs = rivals.map(
      ({ command }) =>
        () =>
          spawnSync(command, args, { cwd, stdio: ['ignore', output, 'ignore'] }),
    )
    for (const rival of found === undefined ? [] : rivals) {
      const expected = count(spawnSync(rival.command, args, { cwd, maxBuffer: 1 << 30 }).stdout.toString())
      if (expected !== found) rows.note(`${name}: we find ${found}, ${rival.name} ${expected}`)
    }
    const results = await compareAll({ ours: run, rivals: theirs, rounds })
    for (const [index, result] of results.entries()) rows.row(name, rivals[index].name, result, target)
  }
  const workspace = await open(ours, root)
  /** To the last line. */
  const search = (query) => async () => {
    const input = { ...selection, path: root, ignore, request: requestOf(query) }
    return countOfOurs(await ours.searchText.run(input, workspace, {}), query)
  }

  // Rows must not depend on their order, and a server is as fast as it gets after so many. Its first searches have rows of their own.
  for (let i = 0; i < 25; i += 1) await search(queries[0])()
  for (const query of queries) {
    const name = `${treeOf[size]}: ${query.name}`
    if (!wanted(name)) continue
    const found = await search(query)()
    const args = ['-n', '--no-heading', ...rgFiles, ...rgOptions(query), '-e', query.pattern, '.']
    const count = (text) => countOf(text, query)
    await beside(name, search(query), { args, cwd: root, target: query.target, found, count })
  }

  const tool = `${treeOf[size]}: lines with a rare word, as an answer of the tool`
  if (wanted(tool)) {
    const call = () => ours.callTool(workspace, ours.clarvis, 'grep', { pattern: queries[0].pattern })
    const args = ['-l', ...rgFiles, '-e', queries[0].pattern, '.']
    await beside(tool, call, { args, cwd: root, target: 1.15 })
  }
  workspace.close()

  const listing = `${treeOf[size]}: list files past nested ignore files`
  if (wanted(listing)) {
    const ignoring = treeWithIgnoreFiles(size)
    const listed = await open(ours, ignoring)
    const find = () => ours.findFiles.run({ ...selection, ...listingInput, path: ignoring, ignore }, listed, {})
    const args = ['--files', ...rgFiles]
    const { total: found } = await find()
    const count = (text) => text.split('\n').length - 1
    await beside(listing, find, { args, cwd: ignoring, target: 0.9, found, count })
    listed.close()
  }
  fs.closeSync(output)
}

async function againstServerFilesystem(ours, rows, { size, rounds, wanted }) {
  const name = `${treeOf[size]}: find files by a glob`
  if (!wanted(name)) return
  const root = packageTree(size)
  const client = await officialServer(root)
  const theirs = () => client.call('search_files', { path: root, pattern: '**/*.d.ts' })
  const workspace = await open(ours, root)
  const find = () =>
    ours.findFiles.run({ ...selection, ...listingInput, path: root, include: ['**/*.d.ts'] }, workspace, {})
  rows.row(name, 'official file server', await compare({ ours: find, theirs, rounds: Math.min(rounds, 5) }), 0.04)
  workspace.close()
  client.kill()
}

const sizesOfFiles = '3,000 files of a directory, with their sizes'

async function listSizes(ours, rows, { rounds }) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-sizes-'))
  try {
    for (let at = 0; at < 3000; at += 1) fs.writeFileSync(path.join(directory, `file-${at}.txt`), 'x'.repeat(at % 100))
    const client = await officialServer(directory)
    const theirs = () => client.call('list_directory_with_sizes', { path: directory })
    const workspace = await open(ours, directory)
    const input = { ...selection, ...listingInput, path: directory, metadata: true, sortBy: 'path' }
    const list = () => ours.findFiles.run(input, workspace, {})
    rows.row(sizesOfFiles, 'official file server', await compare({ ours: list, theirs, rounds }), 0.75)
    workspace.close()
    client.kill()
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
}

async function officialServer(root) {
  const directory = peers('@modelcontextprotocol/server-filesystem@2026.8.31')
  const script = path.join(directory, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
  const client = connect({ args: [script, root], env: process.env })
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  client.notify('notifications/initialized')
  return {
    async call(name, args) {
      const { result } = await client.request('tools/call', { name, arguments: args })
      if (result === undefined || result.isError) throw new Error(`${name} failed`)
    },
    kill: client.kill,
  }
}

/** Lines far into a large file; each in a process of its own, whose memory is measured. */
async function deepLines(ours, rows, { rounds }) {
  const file = hugeText()
  const workspace = await open(ours, path.dirname(file))
  for (const line of [500_000, 10_000_000]) {
    const read = () =>
      ours.readText.run({ path: file, startLine: line, maxLines: 100, binaryWindow: 8000 }, workspace, {})
    const theirs = () => spawnSync('sh', ['-c', `tail -n +${line} "$0" | head -n 100 > /dev/null`, file])
    rows.row(
      `read 100 lines from line ${line.toLocaleString('en')} of 1 GB`,
      'tail | head',
      await compare({ ours: read, theirs, rounds: Math.min(rounds, 7) }),
      0.6,
    )
  }
  workspace.close()
  const script = `
    const ours = await import(process.argv[1])
    const workspace = await ours.openDirectories([{ directory: process.argv[2], access: 'read-only' }])
    const idle = process.memoryUsage.rss()
    await ours.readText.run({ path: process.argv[3], startLine: 10_000_000, maxLines: 100, binaryWindow: 8000 }, workspace, {})
    console.log(((process.memoryUsage.rss() - idle) / 2 ** 20).toFixed(1))
    process.exit(0)`
  const args = ['--input-type=module', '-e', script, pathToFileURL(ours.file).href, path.dirname(file), file]
  const grown = spawnSync(process.execPath, args).stdout.toString().trim()
  rows.note(`reading line 10,000,000 made a fresh process grow by ${grown} MB`)
}

async function againstJustBash(ours, rows, { count, name, rounds }) {
  const directory = peers('just-bash')
  const manifest = path.join(directory, 'node_modules/just-bash/package.json')
  const { exports } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  const main = path.join(path.dirname(manifest), entryOf(exports['.']))
  const { Bash } = await import(pathToFileURL(main).href)
  const tree = {}
  for (let i = 0; i < count; i += 1) {
    const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = compute(${i}, ${line}) // note`)
    if (i % 50 === 0) lines[20] = 'const needle = 1'
    tree[`/work/part-${i % 40}/module-${i}.ts`] = `${lines.join('\n')}\n`
  }
  const bash = new Bash({ files: tree, cwd: '/work' })
  const workspace = ours.createWorkspace({ fs: ours.memory(tree) })
  const theirs = () => bash.exec('grep -rn needle .')
  const search = () =>
    ours.searchText.run({ ...selection, path: '/work', request: requestOf({ pattern: 'needle' }) }, workspace, {})
  const found = (await search()).summary.matches
  const expected = (await theirs()).stdout.split('\n').length - 1
  if (found !== expected) rows.note(`${name}: we find ${found}, just-bash ${expected}`)
  rows.row(name, 'just-bash', await compare({ ours: search, theirs, rounds: Math.min(rounds, 7) }), 0.1)
}

/** The first page of results arrives before the rest has been searched. */
async function firstPage(ours, rows, { size, rounds, wanted }) {
  const name = `${treeOf[size]}: the first 50 lines with a frequent word`
  if (!wanted(name)) return
  const root = packageTree(size)
  const workspace = await open(ours, root)
  const search = (page) => () => {
    const request = { ...requestOf({ pattern: 'function' }), ...page }
    return ours.searchText.run({ ...selection, path: root, request }, workspace, {})
  }
  rows.row(name, 'all of its lines', await compare({ ours: search({ limit: 50 }), theirs: search({}), rounds }), 0.5)
  workspace.close()
}

/** No search takes more, however large the tree. */
const mostMegabytes = 160

/** Peak memory of searches of a whole tree; it should not grow with the tree. */
function memoryOfTrees(ours, rows, sizes) {
  const [medium, large] = sizes.map((size) => peakMemory(ours, rows, size))
  if (large === undefined) return
  const measured = { oursMs: large, theirsMs: medium, ratio: large / medium, unit: 'MB' }
  rows.row(`memory that searches of ${treeOf.large} add`, `those of ${treeOf.medium}`, measured, 1.2)
}

/** Peak megabytes of a fresh process, above those without a search. Only Linux reports them. */
function peakMemory(ours, rows, size) {
  const root = packageTree(size)
  const script = `
    const ours = await import(process.argv[1])
    const [root, searchWorker] = process.argv.slice(2)
    const workspace = await ours.openDirectories([{ directory: root, access: 'read-only' }], { readOnly: true, searchWorker })
    const input = ${JSON.stringify({ ...selection, request: requestOf({ pattern: 'useImperativeHandle' }) })}
    const { readFileSync } = await import('node:fs')
    const megabytesOf = (name) => new RegExp(name + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1] / 1024
    const idle = megabytesOf('VmRSS')
    for (let i = 0; i < 5; i += 1) await ours.searchText.run({ ...input, path: root }, workspace, {})
    console.log(JSON.stringify({ idle, peak: megabytesOf('VmHWM') }))
    process.exit(0)`
  const args = ['--input-type=module', '-e', script, pathToFileURL(ours.file).href, root, ours.worker]
  const { idle, peak } = JSON.parse(spawnSync(process.execPath, args).stdout.toString())
  rows.limit(`${treeOf[size]}: memory of a process that searched five times`, peak, mostMegabytes, 'MB')
  return peak - idle
}

/** The memory of a server must not grow over many searches. */
async function memoryGrowth(ours, rows) {
  const root = packageTree('medium')
  const workspace = await open(ours, root)
  const search = () =>
    ours.searchText.run(
      { ...selection, path: root, ignore, request: requestOf({ pattern: 'function' }) },
      workspace,
      {},
    )
  for (let i = 0; i < 10; i += 1) await search()
  const before = process.memoryUsage().rss
  const ms = await timed(async () => {
    for (let i = 0; i < 40; i += 1) await search()
  })
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  rows.note(`40 more searches of the medium tree in ${ms.toFixed(0)} ms: memory grew by ${grown.toFixed(0)} MB`)
  workspace.close()
}

const selection = {
  include: [],
  includeRules: { slashless: 'any-depth', starCrosses: false, ignoreCase: false, dot: true },
  exclude: [],
  patternsFrom: 'directory',
  hidden: true,
}
const listingInput = { directories: false, metadata: false, skip: 0 }

function requestOf({ pattern, mode = 'content', ignoreCase = false, wholeWord = false, multiline = false }) {
  return { matcher: { pattern, syntax: 'rust', ignoreCase, wholeWord, multiline }, mode, text }
}

function rgOptions({ mode, ignoreCase, wholeWord, multiline }) {
  return [
    ...(mode === 'count' ? ['-c'] : []),
    ...(mode === 'files' ? ['-l'] : []),
    ...(ignoreCase ? ['-i'] : []),
    ...(wholeWord ? ['-w'] : []),
    ...(multiline ? ['-U'] : []),
  ]
}

/** Matching lines by line of output; files for `-l`, the sum for `-c`. Lines that rg says nothing of have no number. */
function countOf(output, { mode }) {
  const lines = output.split('\n').slice(0, -1)
  if (mode === 'count') return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(':') + 1)), 0)
  if (mode === 'files') return lines.length
  return lines.filter((line) => /^[^:]+:\d+:/.test(line)).length
}

function countOfOurs({ files, summary }, { mode }) {
  if (mode === 'files') return summary.filesMatched
  if (mode === 'count') return summary.matches
  let lines = 0
  for (const { records } of files) for (const { lineCount } of records) lines += lineCount
  return lines
}

function open(ours, directory) {
  return ours.openDirectories([{ directory, access: 'read-only' }], { readOnly: true, searchWorker: ours.worker })
}

function entryOf(target) {
  return typeof target === 'string' ? target : entryOf(target.node ?? target.import ?? target.default)
}
