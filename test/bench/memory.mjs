/** Trees in memory: how long one takes to fill, how large it is, and how fast it is searched beside plain JavaScript. */
import { collectGarbage, compare, median, timed } from './measure.mjs'

const files = 10_000
const maxMs = 60
const maxMegabytes = 25

export async function benchMemory(ours, rows, { rounds, only }) {
  const tree = {}
  for (let i = 0; i < files; i += 1) {
    const lines = Array.from({ length: 20 }, (_, line) => `export const value${line} = compute(${i}, ${line})`)
    tree[`/work/part-${i % 100}/module-${i}.ts`] = `${lines.join('\n')}\n`
  }
  if ('fill'.includes(only)) await fill(ours, rows, { tree, rounds })
  if ('regular expression'.includes(only)) await expression(ours, rows, { tree, rounds })
}

async function fill({ memory }, rows, { tree, rounds }) {
  collectGarbage()
  const before = held()
  const kept = memory(tree)
  collectGarbage()
  const megabytes = (held() - before) / 1e6
  const times = []
  for (let i = 0; i < rounds; i += 1) times.push(await timed(() => memory(tree)))
  rows.limit(`make a tree of ${files} files in memory`, median(times), maxMs)
  rows.limit(`memory of a tree of ${files} files`, megabytes, maxMegabytes, 'MB')
  if (kept.capabilities.sync !== true) throw new Error('not in memory')
}

function held() {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Text that every match contains is on every line, half of which match; ours also makes a record of each. */
async function expression(ours, rows, { tree, rounds }) {
  const pattern = 'value\\d+ = compute\\((\\d+), 1\\d\\)'
  const fs = ours.memory(tree)
  const workspace = ours.createWorkspace({ fs })
  const input = {
    path: '/work',
    include: [],
    includeRules: { slashless: 'any-depth', starCrosses: false, ignoreCase: false, dot: true },
    exclude: [],
    patternsFrom: 'directory',
    hidden: true,
    request: { matcher: { pattern, syntax: 'rust', ignoreCase: false }, mode: 'content', text: {} },
  }
  let found = 0
  const search = async () => {
    found = (await ours.searchText.run(input, workspace, {})).summary.matches
  }
  const decoder = new TextDecoder()
  const raw = () => {
    const expression = new RegExp(pattern)
    let count = 0
    for (const path of Object.keys(tree)) {
      for (const line of decoder.decode(fs.sync.readFile(path)).split('\n')) if (expression.test(line)) count += 1
    }
    if (count !== found) throw new Error(`we find ${found}, RegExp ${count}`)
  }
  const name = `regular expression with a word of every line, ${files} files in memory`
  rows.row(name, 'RegExp on each line', await compare({ ours: search, theirs: raw, rounds }), 3)
}
