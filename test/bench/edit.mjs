import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTwoFilesPatch } from 'diff'
import { compare, median, timed } from './measure.mjs'

export async function benchEdit(ours, rows, { rounds, only }) {
  const parts = {
    diff: diffs,
    locate,
    patch: patches,
    trees,
    'one edit': oneEdit,
    'hundred edits': hundredEdits,
    'many edits': manyEdits,
    legacy,
    history,
  }
  for (const [name, run] of Object.entries(parts)) if (name.includes(only)) await run(ours, rows, rounds)
}

const random = (() => {
  let state = 1
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
})()
const source = Array.from({ length: 10_000 }, (_, at) =>
  at % 7 === 0 ? '' : at % 5 === 0 ? '  }' : `  const value${at} = compute(${at}, other)`,
)
const text = (lines) => `${lines.join('\n')}\n`

/** Replaced, removed and added lines; `fresh` ones occur nowhere else. */
function edited(count, fresh) {
  const lines = [...source]
  for (let edit = 0; edit < count; edit += 1) {
    const at = random(lines.length)
    const line = fresh ? `  changed ${edit}` : source[random(source.length)]
    const what = random(5)
    if (what < 3) lines[at] = line
    else lines.splice(at, what === 3 ? 1 : 0, ...(what === 3 ? [] : [line]))
  }
  return lines
}

function shuffled() {
  const lines = [...source]
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const other = random(at + 1)
    ;[lines[at], lines[other]] = [lines[other], lines[at]]
  }
  return lines
}

async function diffs(ours, rows, rounds) {
  const before = text(source)
  const local = [...source]
  local.splice(5000, 2, '  changed', '  and more')
  const cases = [
    { name: 'diff of 10,000 lines with one edit', lines: local, target: 0.05, times: 10 * rounds },
    { name: 'diff of 10,000 lines with 100 edits', lines: edited(100, true), target: 0.5, times: rounds },
    { name: 'diff of 10,000 lines with 1,000 edits', lines: edited(1000, true), target: 0.08, times: 3 },
    { name: 'diff of 10,000 lines with 5,000 edits', lines: edited(5000, true), target: 0.08, times: 1 },
  ]
  for (const { name, lines, target, times } of cases) {
    const after = text(lines)
    const result = await compare({
      ours: () => ours.unifiedDiff({ path: 'x', before, after }),
      theirs: () => createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context: 3 }),
      rounds: times,
    })
    rows.row(name, 'the package diff', result, target)
  }
  // The package would take minutes for these.
  for (const [name, lines] of [
    ['diff of 10,000 lines in another order', shuffled()],
    ['diff of 10,000 lines without a common one', source.map((line) => `${line}!`)],
  ]) {
    const after = text(lines)
    const times = []
    for (let i = 0; i < 3; i += 1) times.push(await timed(() => ours.unifiedDiff({ path: 'x', before, after })))
    rows.limit(name, median(times), 100)
  }
}

/** The text to replace is mistyped: the time to find the similar text that the answer points to. */
async function locate(ours, rows, rounds) {
  const lines = source.map((line, i) => (i % 3 === 0 ? `${line} // ${random(1e9)}` : line))
  const content = text(lines)
  const block = lines.slice(7000, 7020)
  const exact = block.join('\n')
  const mistyped = [...block.slice(0, 9), block[9].replace(/\w/, '#'), ...block.slice(10)].join('\n')
  const edit = (find) => () => ours.applyEdits(content, [{ kind: 'literal', find, replace: 'x' }])
  const plain = () => content.indexOf(exact) === content.lastIndexOf(exact)
  const result = await compare({ ours: edit(mistyped), theirs: plain, rounds: 5 * rounds })
  const name = 'find what a mistyped block of 20 lines means, in 10,000 lines'
  rows.row(name, 'indexOf', result, 50)
  rows.limit(name, result.oursMs, 20)
}

const longSource = Array.from(
  { length: 16_000 },
  (_, at) => `const value${at} = compute(${at}, 'some text', ${at * 7}) // row ${at}`,
)

/**
 * Edits of 1.2 MB in one call of the tool, compared with what one edit takes: the file is read, checked, recorded and written
 * once, and each edit may add a tenth of a millisecond.
 */
async function hundredEdits(ours, rows, rounds) {
  const lines = longSource
  const content = text(lines)
  const kinds = {
    'of words': (at, turn) => ({
      old_string: `value${at} = ${call(turn)}(`,
      new_string: `value${at} = ${call(turn + 1)}(`,
    }),
    'by regular expressions': (at, turn) => ({
      old_string: `(value${at}) = ${call(turn)}\\(`,
      new_string: `$1 = ${call(turn + 1)}(`,
      regex: true,
    }),
  }
  function call(turn) {
    return turn % 2 === 0 ? 'compute' : 'calculated'
  }
  const cases = Object.entries(kinds).flatMap(([kind, editOf]) => [4, 100].map((count) => ({ kind, editOf, count })))
  for (const { kind, editOf, count } of cases) {
    const many = await editor(count)
    const one = await editor(1)
    const result = await compare({ ours: many, theirs: one, rounds })
    const allowedMs = 0.1 * count
    const allowed = 2 * result.theirsMs + allowedMs
    const measured = { oursMs: result.oursMs, theirsMs: allowed, ratio: result.oursMs / allowed }
    const name = `${count} edits ${kind} in one call, 1.2 MB`
    rows.row(name, `two calls of one edit + ${allowedMs} ms`, measured, 1)
    rows.note(`${name}: one edit takes ${result.theirsMs.toFixed(1)} ms`)
    async function editor(edits) {
      const workspace = ours.createWorkspace({ fs: ours.memory({ '/file.ts': content }) })
      let turn = 0
      return async () => {
        const at = (index) => Math.floor((index * lines.length) / count)
        const list = Array.from({ length: edits }, (_, index) => editOf(at(index), turn))
        const answer = await ours.callTool(workspace, ours.polyfs, 'edit_file', { path: '/file.ts', edits: list })
        if (answer.isError) throw new Error(answer.content[0].text)
        turn += 1
      }
    }
  }
}

/** Compared with the same number of plain searches for the text to replace: each reads all of the text once. */
async function manyEdits(ours, rows, rounds) {
  const lines = longSource
  const content = text(lines)
  for (const count of [1000, 4000]) {
    const at = (index) => Math.floor((index * lines.length) / count)
    const words = Array.from({ length: count }, (_, index) => `value${at(index)} =`)
    const kinds = {
      'a word each': words.map((find) => ({ kind: 'literal', find, replace: 'changed =' })),
      'a line each': words.map((_, index) => ({
        kind: 'lines',
        first: at(index) + 1,
        last: at(index) + 1,
        lines: ['new'],
      })),
    }
    for (const [name, edits] of Object.entries(kinds)) {
      const result = await compare({
        ours: () => ours.applyEdits(content, edits, { lineNumbers: 'original' }),
        theirs: () => words.every((word) => content.indexOf(word) === content.lastIndexOf(word)),
        rounds,
      })
      rows.row(`apply ${count} edits to 1 MB, ${name}`, 'indexOf for each', result, 5)
    }
  }
}

/** A file in an encoding that is only guessed, compared with the same in UTF-8. */
async function legacy(ours, rows, rounds) {
  const content = text(longSource.map((line) => line.replace('some text', 'stra\u00dfe f\u00fcr m\u00e4dchen')))
  const workspaceOf = (encoding) => {
    return ours.createWorkspace({ fs: ours.memory({ '/file.ts': Uint8Array.from(Buffer.from(content, encoding)) }) })
  }
  const reader = (encoding) => {
    const workspace = workspaceOf(encoding)
    return () => called(ours, workspace, 'read_file', { path: '/file.ts', limit: 5 })
  }
  const editor = (encoding) => {
    const workspace = workspaceOf(encoding)
    let turn = 0
    return () => {
      const [old, now] = turn % 2 === 0 ? ['compute', 'changed'] : ['changed', 'compute']
      turn += 1
      const args = { path: '/file.ts', old_string: `value8000 = ${old}(`, new_string: `value8000 = ${now}(` }
      return called(ours, workspace, 'edit_file', args)
    }
  }
  for (const [name, maker, target] of [
    ['read', reader, 4],
    ['edit', editor, 5],
  ]) {
    const result = await compare({ ours: maker('latin1'), theirs: maker('utf8'), rounds: 3 * rounds })
    rows.row(`${name} a file of 1.2 MB in Windows-1252`, 'the same in UTF-8', result, target)
  }
}

async function called(ours, workspace, name, args) {
  const { isError, content } = await ours.callTool(workspace, ours.polyfs, name, args)
  if (isError) throw new Error(content[0].text)
}

/** What has changed since the beginning, after a long time. */
async function history(ours, rows) {
  const workspace = ours.createWorkspace({ fs: ours.memory({ '/a.txt': 'a' }) })
  for (let at = 0; at < 8000; at += 1) {
    await called(ours, workspace, 'write_file', { path: '/a.txt', content: `${at}` })
  }
  const times = []
  for (let i = 0; i < 5; i += 1) {
    times.push(await timed(() => called(ours, workspace, 'history', { action: 'diff' })))
  }
  rows.limit('all that 8,000 changes have changed', median(times), 400)
}

/**
 * In memory too, where there is such a place. On the disk each round starts with files that are
 * on it: to free the blocks of the old ones may take longer than all else, and files that never got there have none. How long that takes
 * differs from round to round: hence more of them.
 */
async function patches(ours, rows, rounds) {
  const places = [
    ...(fs.existsSync('/dev/shm') ? [{ where: 'in memory', base: '/dev/shm', fsync: false, target: 2 }] : []),
    { where: 'on the disk', base: os.tmpdir(), fsync: false, target: 2 },
    { where: 'on the disk, durable', base: os.tmpdir(), fsync: true, target: 2.5 },
  ]
  for (const place of places) await patchesIn(ours, rows, { ...place, rounds: 5 * rounds })
}

async function patchesIn(ours, rows, { where, base, fsync, target, rounds }) {
  const scratch = fs.mkdtempSync(path.join(base, 'polyfs-bench-patch-'))
  try {
    const { names, patch, plant } = twoHundredFiles()
    const [own, plain, other] = ['own', 'plain', 'other'].map((name) => path.join(scratch, name))
    for (const directory of [own, plain, other]) plant(directory)
    const file = path.join(scratch, 'all.patch')
    fs.writeFileSync(file, patch)
    const workspace = await ours.openDirectories([{ directory: own, access: 'read-write' }], {
      fsync,
      stateDirectory: path.join(scratch, 'state'),
      searchThreads: 0,
    })
    const inputs = [patch, twoHundredFiles(true).patch].map((text) => ours.applyPatch.input.parse({ patch: text }))
    const [turn, gitTurn] = [alternate(), alternate()]
    const apply = () => ours.applyPatch.run(inputs[turn()], workspace, {})
    const gitApply = () => {
      execFileSync('git', ['apply', ...(gitTurn() === 0 ? [] : ['-R']), file], { cwd: other })
      if (fsync) execFileSync('sync', ['-f', other])
    }
    const before = async () => {
      while (isLettingGo(scratch)) await sleep(5)
      if (base !== '/dev/shm') execFileSync('sync', ['-f', scratch])
    }
    const result = await compare({ ours: apply, theirs: gitApply, rounds, before })
    const gitName = `git apply${fsync ? ' and sync' : ''}`
    rows.row(`apply a patch to 200 files ${where}`, gitName, result, target)
    const floor = await compare({ ours: () => rewrite(plain, names, fsync), theirs: gitApply, rounds, before })
    rows.row(`for scale: 200 files rewritten ${where}, without a patch`, gitName, floor)
    const plainTurn = alternate()
    const patchAll = () =>
      patchPlainly(ours, plain, inputs[plainTurn()].patch, { record: path.join(scratch, 'record'), fsync })
    const patched = await compare({ ours: patchAll, theirs: gitApply, rounds, before })
    rows.row(`for scale: patched and recorded ${where}, without checks`, gitName, patched)
    workspace.close()
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** Old files are freed on the disk after the call; that time must not count for the other side. */
function isLettingGo(directory) {
  return fs.readdirSync('/proc/self/fd').some((name) => {
    try {
      const target = fs.readlinkSync(`/proc/self/fd/${name}`)
      return target.startsWith(directory) && target.endsWith(' (deleted)')
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
      return false
    }
  })
}

/** The least that leaves each file old or new: no patch, no journal, no history, no locks, no confinement. */
function rewrite(directory, names, fsync) {
  for (const name of names) {
    const file = path.join(directory, name)
    writeNew(`${file}.staged`, [fs.readFileSync(file)], fsync)
    fs.renameSync(`${file}.staged`, file)
  }
  if (fsync) execFileSync('sync', ['-f', directory])
}

/** With a patch, all files old or new even after a crash, and undo; still no locks and no confinement. */
function patchPlainly(ours, directory, patch, { record, fsync }) {
  const steps = []
  for (const { path: name, hunks } of ours.parseUnifiedPatch(patch)) {
    const file = path.join(directory, name)
    const { mtimeMs } = fs.lstatSync(file)
    const bytes = fs.readFileSync(file)
    const document = ours.openText(bytes)
    const patched = ours.encodeReplaced(document, bytes, ours.hunkSpans(document.text, hunks).spans)
    const [before, after] = [bytes, patched].map((content) => hash('sha256', content, 'hex'))
    steps.push({ file, staged: `${file}.staged`, before, after, mtimeMs, bytes, patched })
  }
  const header = Buffer.from(JSON.stringify(steps.map(({ bytes, patched, ...step }) => step)))
  writeNew(`${record}.begun`, [header, ...steps.map(({ bytes }) => bytes)], fsync)
  for (const { staged, patched } of steps) writeNew(staged, [patched], fsync)
  fs.renameSync(`${record}.begun`, record)
  for (const { file, staged, mtimeMs } of steps) {
    if (fs.lstatSync(file).mtimeMs !== mtimeMs) throw new Error(`${file} was changed meanwhile`)
    fs.renameSync(staged, file)
  }
  if (fsync) execFileSync('sync', ['-f', directory])
}

function writeNew(file, pieces, fsync) {
  const descriptor = fs.openSync(file, 'wx')
  fs.writevSync(descriptor, pieces)
  if (fsync) fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

/** 0, 1, 0, 1, … */
function alternate() {
  let next = 1
  return () => {
    next = 1 - next
    return next
  }
}

/** Three hunks in each of 200 files of 300 lines. */
function twoHundredFiles(reversed = false) {
  const names = Array.from({ length: 200 }, (_, i) => `part-${i % 10}/file-${i}.txt`)
  const lines = (name) => Array.from({ length: 300 }, (_, i) => `${name} line ${i}`)
  const changed = (name) => lines(name).map((line, i) => ([20, 150, 280].includes(i) ? `${line} changed` : line))
  const patch = names
    .map((name) => {
      const [old, now] = reversed ? [changed(name), lines(name)] : [lines(name), changed(name)]
      const body = createTwoFilesPatch(`a/${name}`, `b/${name}`, text(old), text(now), '', '', { context: 3 })
      return `diff --git a/${name} b/${name}\n${body.replace(/^=+\n/, '').replaceAll(/^(---|\+\+\+) (\S+)\t$/gm, '$1 $2')}`
    })
    .join('')
  return {
    names,
    patch,
    plant(directory) {
      for (const name of names) {
        fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
        fs.writeFileSync(path.join(directory, name), text(lines(name)))
      }
    },
  }
}

/**
 * What an agent does to a directory of dependencies. `cp` and `rm` store nothing to undo, and check for no changes by others; `undo` is compared
 * with copying, because it writes the same files.
 */
async function trees(ours, rows, rounds) {
  const base = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
  const scratch = fs.mkdtempSync(path.join(base, 'polyfs-bench-trees-'))
  try {
    const [own, other] = ['own', 'other'].map((name) => path.join(scratch, name))
    fs.mkdirSync(other)
    for (let at = 0; at < 5000; at += 1) {
      const directory = path.join(own, 'from', `part-${at % 200}`)
      fs.mkdirSync(directory, { recursive: true })
      fs.writeFileSync(
        path.join(directory, `file-${at}.ts`),
        `export const value${at} = ${at}\n`.repeat(1 + (at % 100)),
      )
    }
    const workspace = await ours.openDirectories([{ directory: own, access: 'read-write' }], {
      fsync: false,
      stateDirectory: path.join(scratch, 'state'),
      searchThreads: 0,
    })
    const copy = () => ours.copyEntry.run({ from: 'from', to: 'to', makeParents: false }, workspace, {})
    const remove = () => ours.deleteEntry.run({ path: 'to', recursive: true }, workspace, {})
    const undo = () => ours.undoChange.run(ours.undoChange.input.parse({}), workspace, {})
    const cp = () => execFileSync('cp', ['-r', path.join(own, 'from'), path.join(other, 'to')])
    const rm = () => execFileSync('rm', ['-r', path.join(other, 'to')])
    const times = { copy: [], cp: [], remove: [], rm: [], undo: [] }
    for (let round = -1; round < rounds; round += 1) {
      const now = {}
      for (const [name, run] of Object.entries({ copy, cp, remove, rm, undo })) now[name] = await timed(run)
      await remove()
      if (round >= 0) for (const name of Object.keys(times)) times[name].push(now[name])
    }
    const pairs = { 'copy 5,000 files': ['copy', 'cp'], 'delete 5,000 files': ['remove', 'rm'] }
    for (const [what, [one, rival]] of Object.entries({
      ...pairs,
      'undo the deletion of 5,000 files': ['undo', 'cp'],
    })) {
      const [oursMs, theirsMs] = [median(times[one]), median(times[rival])]
      const ratio = median(times[one].map((ms, round) => ms / times[rival][round]))
      rows.row(`${what} in memory`, `${rival} -r`, { oursMs, theirsMs, ratio })
    }
    workspace.close()
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** One edit of 4 KB through the tool, compared with writing the same bytes with and without a flush. */
async function oneEdit(ours, rows, rounds) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-edit-'))
  try {
    const file = path.join(scratch, 'root/file.txt')
    fs.mkdirSync(path.dirname(file))
    fs.writeFileSync(file, `${'some text of a line\n'.repeat(200)}value = 0\n`)
    for (const fsync of [false, true]) {
      const workspace = await ours.openDirectories([{ directory: path.dirname(file), access: 'read-write' }], {
        fsync,
        stateDirectory: path.join(scratch, 'state'),
        searchThreads: 0,
      })
      let value = Number(/value = (\d+)/.exec(fs.readFileSync(file, 'utf8'))[1])
      const edit = async () => {
        const args = { path: 'file.txt', old_string: `value = ${value}`, new_string: `value = ${value + 1}` }
        const { isError, content } = await ours.callTool(workspace, ours.clarvis, 'edit_file', args)
        if (isError) throw new Error(content[0].text)
        value += 1
      }
      const plain = () => {
        const now = fs.readFileSync(file, 'utf8')
        const staged = `${file}.staged`
        const descriptor = fs.openSync(staged, 'w')
        fs.writeSync(descriptor, now)
        if (fsync) fs.fsyncSync(descriptor)
        fs.closeSync(descriptor)
        fs.renameSync(staged, file)
      }
      const result = await compare({ ours: edit, theirs: plain, rounds: 5 * rounds })
      rows.row(`edit a file of 4 KB${fsync ? ', durable' : ''}`, 'plain write and rename', result)
      workspace.close()
    }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}
