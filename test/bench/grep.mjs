/**
 * Searching a generated tree: ours, in memory and on the disk, against a search that decodes and splits every file, and
 * against `rg` where it is installed. Prints medians of ratios between neighbouring runs. `node test/bench/grep.mjs
 * [files] [rounds]`
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const [files = 1000, rounds = 9] = process.argv.slice(2).map(Number)
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-'))

const queries = {
  'rare literal': { pattern: 'needle_17 ', syntax: 'literal' },
  'frequent literal': { pattern: 'return', syntax: 'literal' },
  'literal, any case': { pattern: 'NEEDLE_17 ', syntax: 'literal', ignoreCase: true },
  'whole word': { pattern: 'needle_17', syntax: 'literal', wholeWord: true },
  'three literals': { pattern: 'needle_17 |ENOENT_3|fixme:', syntax: 'rust' },
  'literal inside': { pattern: '[A-Z][a-z]+Error\\(\\w+\\)', syntax: 'ecmascript' },
  'no literal': { pattern: '[0-9a-f]{8}-[0-9a-f]{4}', syntax: 'ecmascript' },
  'no literal, words': { pattern: '\\b[a-z]+\\(\\w+ [A-Z]+\\b', syntax: 'ecmascript' },
  multiline: { pattern: 'needle_1\\d .*?return', syntax: 'ecmascript', multiline: true },
}

try {
  const { collectMatches, memory, nodeFs, search } = await load()
  const tree = plant(files)
  const root = path.join(scratch, 'tree')
  for (const [file, text] of Object.entries(tree)) {
    fs.mkdirSync(path.dirname(root + file), { recursive: true })
    fs.writeFileSync(root + file, text)
  }
  const paths = Object.keys(tree).sort()
  const held = memory(tree)
  const disk = nodeFs(root)
  const findBytes = (haystack, needle, from) => {
    return Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength).indexOf(needle, from)
  }
  const rg = spawnSync('rg', ['--version']).status === 0
  const bytes = Object.values(tree).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  console.log(`${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${rounds} rounds; below 1 is quicker than the other`)
  console.log('query                  matches   ms   memory/naive   disk/naive  disk+Buffer/naive   disk+Buffer/rg')
  for (const [name, matcher] of Object.entries(queries)) {
    const ours = (system, context) => async () => {
      const { summary } = await collectMatches(search(system, each(paths), { matcher, mode: 'content' }, context))
      return summary.matches
    }
    const runs = {
      memory: ours(held),
      disk: ours(disk),
      'disk+Buffer': ours(disk, { findBytes }),
      'naive memory': () => naive(matcher, paths, (file) => held.readFile(file)),
      'naive disk': () => naive(matcher, paths, (file) => disk.readFile(file)),
      ...(rg && { rg: () => ripgrep(matcher, root) }),
    }
    const times = await measure(runs, rounds)
    const ratio = (a, b) =>
      times[b] === undefined ? '-' : median(times[a].map((ms, i) => ms / times[b][i])).toFixed(2)
    const found = await runs['disk+Buffer']()
    const columns = [
      name.padEnd(20),
      String(found).padStart(9),
      median(times['disk+Buffer']).toFixed(0).padStart(5),
      ratio('memory', 'naive memory').padStart(13),
      ratio('disk', 'naive disk').padStart(13),
      ratio('disk+Buffer', 'naive disk').padStart(17),
      ratio('disk+Buffer', 'rg').padStart(17),
    ]
    console.log(columns.join(' '))
  }
  disk.close()
} finally {
  fs.rmSync(scratch, { recursive: true, force: true })
}

async function load() {
  const here = path.dirname(new URL(import.meta.url).pathname)
  const entry = path.join(scratch, 'entry.ts')
  const source = (name) => JSON.stringify(path.join(here, '../..', name))
  fs.writeFileSync(
    entry,
    `export { nodeFs } from ${source('node/fs.ts')}
     export { memory } from ${source('src/fs/memory.ts')}
     export { collectMatches, search } from ${source('src/search/searcher.ts')}`,
  )
  const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' })
  const file = path.join(scratch, 'bundle.mjs')
  await bundle.write({ file, format: 'esm' })
  return import(pathToFileURL(file).href)
}

/** Files as source trees have them: many small ones, some large, and one in 200 in a single line. */
function plant(count) {
  let seed = 1
  const random = (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
  const words =
    'const function return import export await value index buffer stream parse error result cache key naïve'.split(' ')
  const line = () => {
    const start = ' '.repeat(2 * random(5))
    const body = Array.from({ length: 2 + random(8) }, () => words[random(words.length)]).join(' ')
    const kind = random(400)
    if (kind === 0) return `${start}throw new TypeError(${words[random(8)]}) // ${body}`
    if (kind === 1) return `${start}// needle_${random(60)} ${body}`
    if (kind === 2)
      return `${start}id = '${(0x10000000 + random(0x7fffffff)).toString(16)}-${(0x1000 + random(0xefff)).toString(16)}'`
    return `${start}${body};`
  }
  const tree = {}
  for (let i = 0; i < count; i += 1) {
    const lines = Array.from({ length: i % 50 === 0 ? 4_000 : 40 + random(400) }, line)
    tree[`/part-${i % 37}/module-${i}.ts`] = i % 200 === 7 ? lines.join(' ') : `${lines.join('\n')}\n`
  }
  return tree
}

async function* each(paths) {
  for (const file of paths) yield { directory: path.dirname(file), entries: [{ name: path.basename(file) }] }
}

async function naive({ pattern, syntax, ignoreCase, wholeWord, multiline }, paths, read) {
  const quoted = syntax === 'literal' ? pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : pattern
  const source = wholeWord ? `\\b${quoted}\\b` : quoted
  const expression = new RegExp(source, `${ignoreCase ? 'i' : ''}${multiline ? 'gms' : ''}`)
  let matches = 0
  for (const file of paths) {
    const text = Buffer.from(await read(file)).toString('utf8')
    if (multiline) matches += text.match(expression)?.length ?? 0
    else for (const line of text.split('\n')) if (expression.test(line)) matches += 1
  }
  return matches
}

function ripgrep({ pattern, syntax, ignoreCase, wholeWord, multiline }, root) {
  const flags = [
    '-n',
    '--no-heading',
    '--no-ignore',
    ...(syntax === 'literal' ? ['-F'] : []),
    ...(ignoreCase ? ['-i'] : []),
  ]
  if (wholeWord) flags.push('-w')
  if (multiline) flags.push('-U', '--multiline-dotall')
  return spawnSync('rg', [...flags, '-e', pattern, root], { maxBuffer: 1 << 28 }).stdout.length
}

/** Every contestant once in each round, so that what disturbs one disturbs its neighbours. */
async function measure(runs, rounds) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now()
      await run()
      if (round >= 0) times[name].push(performance.now() - start)
    }
  }
  return times
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
