/** Writes docs/performance.md, or the page of another architecture: a table and a plot for each group of `npm run bench`, from results that are kept beside the plots. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMissed } from './measure.mjs'
import { plot } from './report-plot.mjs'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))

/** A page for each architecture of which there are results; it is also the name of the directory with its plots. */
const pages = {
  x64: { file: 'performance', title: 'Performance', machine: 'x86-64' },
  arm64: { file: 'performance-arm64', title: 'Performance on ARM', machine: '64-bit ARM' },
}

/** In the order of the page. */
const groups = {
  first: {
    title: 'The first call of a conversation',
    about:
      'A client starts a server for each conversation. The clock runs from the first call to its answer, half a second after the server has answered `initialize`.',
  },
  search: {
    title: 'Searching and listing',
    about:
      'On a tree of published packages with 5,000 files and 60 MB (and 47,000 with `--large`). Both sides have searched it before, so that its files are in the cache of the operating system, and our code is compiled: how long the first search of a server takes is in the group above.',
  },
  memory: { title: 'Trees in memory', about: 'Workspaces in memory, as the harness and pages use them.' },
  edit: { title: 'Edits, diffs and patches', about: 'What lies between a change that is asked for and its answer.' },
  server: {
    title: 'A server over stdio',
    about:
      'Beside the official file server, a server of the official SDK whose one tool does nothing, and a server without any checks that only writes files.',
  },
  clients: { title: 'Many clients over HTTP', about: '64 clients read, write, edit and search without a pause.' },
  web: { title: 'In a web page', about: "In Chromium, in a worker. Stored files are in the browser's own storage." },
  shell: { title: 'The emulated shell', about: 'Scripts and programs, beside just-bash.' },
  command: { title: 'Commands of the real shell', about: 'What it costs to record what a command changes.' },
  git: { title: 'Git', about: 'Each of our calls is a transaction that can be undone.' },
  archive: { title: 'Archives', about: 'Files of 10 kB.' },
  storage: { title: 'Databases and key-value stores', about: 'Workspaces that are kept elsewhere than on a disk.' },
  harness: {
    title: 'Evaluating agents',
    about:
      'Episodes, each on a fork of the same workspace. Whole episodes are measured as in a process that runs thousands of them: both sides are warmed up for five seconds of processor time, and each has a heap of its own.',
  },
}

/** Stores the results of one group, and writes the page and the plots again. */
export function recordResults(group, { rounds, large, load }) {
  const file = path.join(docs, pages[process.arch].file, 'results.json')
  const results = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}
  results[group.name] = {
    measured: { ...machine(), load: rounded(load), rounds, large, date: new Date().toISOString().slice(0, 10) },
    rows: group.rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]))),
    notes: group.notes,
  }
  const inOrder = Object.fromEntries(
    Object.keys(groups).flatMap((name) => (results[name] ? [[name, results[name]]] : [])),
  )
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${JSON.stringify(inOrder, null, 2)}\n`)
  for (const [name, content] of Object.entries(reportOf(inOrder, process.arch)))
    fs.writeFileSync(path.join(docs, name), content)
}

/** No name of the machine or of its user. */
function machine() {
  const [{ model } = { model: 'unknown processor' }] = os.cpus()
  return { cores: os.availableParallelism(), cpu: model.trim(), node: process.version, platform: process.platform }
}

function rounded(value) {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

/** The files of the report by their names in docs. Depends on the results alone. */
export function reportOf(results, architecture = 'x64') {
  const { file } = pages[architecture]
  const present = Object.keys(groups).filter((name) => results[name] !== undefined)
  const plots = Object.fromEntries(
    present.map((name) => [`${file}/${name}.svg`, plot(groups[name].title, results[name].rows)]),
  )
  return { [`${file}.md`]: page(results, present, architecture), ...plots }
}

function page(results, present, architecture) {
  const { file, title, machine } = pages[architecture]
  const others = Object.values(pages).filter((other) => other.file !== file)
  const all = present.flatMap((name) => results[name].rows)
  const aimed = all.filter(({ target }) => target !== undefined)
  const missed = aimed.filter(isMissed)
  const missedLines = missed.map(
    (row) => `- ${row.title}, compared with ${row.against}: ${short(row.ratio)}, target ${short(row.target)}`,
  )
  return `# ${title}

Every row compares polyfs with another way to get the same result. The ratio is ours to theirs: 0.5 means that polyfs takes half of the time, 2 that
it takes twice as much. Where there is no other way, a row has a fixed limit, and the ratio is the share of it that is used. This page is written
by \`npm run bench -- --report\`; \`npm run bench -- search --report\` measures one group again. No figure is entered by hand, and missed targets stay in the tables.
All of it was measured on ${machine}; ${others.map((other) => `[${other.file}.md](${other.file}.md) is the same on ${other.machine}`).join(', ')}.

**${aimed.length - missed.length} of ${aimed.length} targets are met.**${missed.length > 0 ? ' Missed:' : ''}

${missedLines.join('\n')}${missedLines.length > 0 ? '\n\n' : ''}## How it is measured

- Both sides do the same work in turns, in random order, in every round. A ratio is the median of the ratios of the rounds, and times are medians.
- The machine is not idle: other programs use it at the same time. Ratios of turns that lie side by side are hardly affected, times are. The load below each heading
  is the number of programs that wanted a processor when the group began. Run again, a ratio may differ by a tenth, and by more in rows of a few milliseconds.
- "CPU" is the ratio of processor time, where theirs is a process of its own. It does not depend on other load, but is counted in steps of 10 ms.
- In the plots the scale is logarithmic. A bar to the left of the line at 1 is faster than the other way, and the tick in the bar's row is its target.

${present.map((name) => section(name, results[name], file)).join('\n')}`
}

function section(name, { measured, rows, notes }, file) {
  const { title, about } = groups[name]
  const { cores, cpu, node, platform, load, rounds, large, date } = measured
  const command = `npm run bench -- ${name}${large ? ' --large' : ''} --rounds ${rounds} --report`
  const lines = rows.map((row) => {
    const { target } = row
    const cells = [
      row.title,
      row.against,
      amount(row.ours, row.unit),
      row.theirs === undefined ? '' : amount(row.theirs, row.unit),
      row.ratio === undefined ? '' : short(row.ratio),
      row.cpu === undefined ? '' : short(row.cpu),
      target === undefined ? '' : `${short(target)} ${isMissed(row) ? '**missed**' : 'met'}`,
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return `## ${title}

${about}

\`${command}\`, on ${date}: ${cores} cores, ${cpu}, Node ${node.slice(1)} on ${platform}, load ${load.toFixed(1)}.

![${title}: ratios of polyfs to other ways, the same figures as in the table](${file}/${name}.svg)

| what | compared with | ours | theirs | ratio | CPU | target |
|---|---|---|---|---|---|---|
${lines.join('\n')}
${notes.length === 0 ? '' : `\n${notes.map((note) => `- ${note}`).join('\n')}\n`}`
}

function amount(value, unit) {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`
}

function short(ratio) {
  if (ratio >= 0.1) return ratio.toFixed(2)
  return ratio >= 0.01 ? ratio.toFixed(3) : ratio.toPrecision(2)
}
