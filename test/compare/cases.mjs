/**
 * What happens to a user's files when an agent works on them, as cases for any MCP file server. A case creates files, makes the
 * calls of one server, and judges by the files on disk and the replies. `theirs` has the calls for the official file server; without it, that server has no tool for the job.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const parallelEdits = 64
const goSource = 'package main\n\nfunc main() {\n\tif ready {\n\t\trun()\n\t}\n}\n'
const lines = Array.from({ length: 40 }, (_, i) => `const value${i} = compute(${i})\n`).join('')

/** Each `judge` returns nothing when the result is right, else a short description of the fault. */
export const cases = [
  {
    name: 'an edit keeps CRLF line endings',
    files: { 'a.txt': 'one\r\ntwo\r\nthree\r\n' },
    ours: [edit('a.txt', 'two', 'TWO')],
    theirs: [theirEdit('a.txt', 'two', 'TWO')],
    judge: onDisk('a.txt', 'one\r\nTWO\r\nthree\r\n'),
  },
  {
    name: 'an edit keeps bytes that are not UTF-8',
    files: { 'a.txt': Buffer.from('caf\xe9\nold\n', 'latin1') },
    ours: [edit('a.txt', 'old', 'new')],
    theirs: [theirEdit('a.txt', 'old', 'new')],
    judge: onDisk('a.txt', Buffer.from('caf\xe9\nnew\n', 'latin1')),
  },
  {
    name: 'a UTF-16 file can be edited',
    files: { 'a.txt': Buffer.from('\ufeffalpha\r\nold\r\n', 'utf16le') },
    ours: [edit('a.txt', 'old', 'new')],
    theirs: [theirEdit('a.txt', 'old', 'new')],
    judge: onDisk('a.txt', Buffer.from('\ufeffalpha\r\nnew\r\n', 'utf16le')),
  },
  {
    name: 'a byte order mark and the executable bit are preserved',
    files: { 'a.sh': '\ufeff#!/bin/sh\nold\n' },
    prepare: (root) => fs.chmodSync(path.join(root, 'a.sh'), 0o755),
    ours: [edit('a.sh', 'old', 'new')],
    theirs: [theirEdit('a.sh', 'old', 'new')],
    judge: (run) =>
      onDisk('a.sh', '\ufeff#!/bin/sh\nnew\n')(run) ??
      ((fs.statSync(path.join(run.root, 'a.sh')).mode & 0o777) === 0o755 ? undefined : 'the mode is lost'),
  },
  {
    name: 'text sent with spaces does not break tab indentation',
    files: { 'a.go': goSource },
    ours: [edit('a.go', '    if ready {\n        run()\n    }', '    if ready {\n        start()\n    }')],
    theirs: [theirEdit('a.go', '    if ready {\n        run()\n    }', '    if ready {\n        start()\n    }')],
    judge: onDisk('a.go', [goSource, goSource.replace('run()', 'start()')]),
  },
  {
    name: 'an ambiguous match is rejected, not applied to the first',
    files: { 'a.txt': 'same\nother\nsame\n' },
    ours: [edit('a.txt', 'same', 'changed')],
    theirs: [theirEdit('a.txt', 'same', 'changed')],
    judge: onDisk('a.txt', 'same\nother\nsame\n'),
  },
  {
    name: 'an edit that does not match reports the nearest place',
    files: { 'a.js': lines },
    ours: [edit('a.js', 'const value27 = computed(27)', 'x')],
    theirs: [theirEdit('a.js', 'const value27 = computed(27)', 'x')],
    judge: ({ replies }) =>
      replies[0].text.includes('const value27 = compute(27)') && replies[0].text.includes('28')
        ? undefined
        : 'repeats only what was sent',
  },
  {
    name: `${parallelEdits} concurrent edits of one file: every acknowledged edit is in it`,
    files: { 'a.txt': Array.from({ length: parallelEdits }, (_, i) => `line-${i}-old\n`).join('') },
    ours: Array.from({ length: parallelEdits }, (_, i) => edit('a.txt', `line-${i}-old`, `line-${i}-new`)),
    theirs: Array.from({ length: parallelEdits }, (_, i) => theirEdit('a.txt', `line-${i}-old`, `line-${i}-new`)),
    judge({ root, replies }) {
      const text = fs.readFileSync(path.join(root, 'a.txt'), 'utf8')
      const lost = replies.filter(({ isError }, i) => !isError && !text.includes(`line-${i}-new\n`)).length
      return lost === 0 ? undefined : `${lost} of ${parallelEdits} are lost`
    },
  },
  {
    name: 'a patch of three files changes none if one does not match',
    files: { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'other\n' },
    ours: [
      [
        'apply_patch',
        { patch: ['a', 'b', 'c'].map((n) => `--- a/${n}.txt\n+++ b/${n}.txt\n@@ -1 +1 @@\n-old\n+new\n`).join('') },
      ],
    ],
    judge: (run) =>
      ['a', 'b'].map((name) => onDisk(`${name}.txt`, 'old\n')(run)).find(Boolean) ??
      (run.replies[0].isError ? undefined : 'success is reported'),
  },
  {
    name: 'a change can be undone',
    files: { 'a.txt': 'precious\n' },
    inTurn: true,
    ours: [
      ['write_file', { path: 'a.txt', content: 'gone\n' }],
      ['history', { action: 'undo' }],
    ],
    judge: onDisk('a.txt', 'precious\n'),
  },
  {
    name: 'the text of files can be searched',
    files: { 'src/a.js': lines, 'src/b.js': 'compute(needle)\n' },
    ours: [['grep', { pattern: 'needle' }]],
    judge: ({ replies }) => (replies[0].text.includes('src/b.js') ? undefined : 'is not found'),
  },
  {
    name: 'a tree with 2,000 ignored files stays small',
    files: { '.gitignore': 'node_modules/\n', 'index.js': '\n' },
    prepare(root) {
      execFileSync('git', ['init', '-q', root])
      fs.mkdirSync(path.join(root, 'node_modules'))
      for (let i = 0; i < 2000; i += 1) fs.writeFileSync(path.join(root, `node_modules/package-${i}.js`), '')
    },
    ours: [['list_dir', { path: '.', depth: 5 }]],
    theirs: [['directory_tree', { path: '.' }]],
    judge: ({ replies }) => (replies[0].bytes < 10_000 ? undefined : `takes ${Math.round(replies[0].bytes / 1000)} kB`),
  },
  {
    name: 'reading a 10 MB file fits into a message of 10 MB',
    files: { 'a.txt': 'a line of text that goes on for a while\n'.repeat(262_144) },
    ours: [['read_file', { path: 'a.txt' }]],
    theirs: [['read_text_file', { path: 'a.txt' }]],
    judge: ({ replies }) =>
      replies[0].bytes < 10_000_000 ? undefined : `takes ${(replies[0].bytes / 1e6).toFixed(0)} MB`,
  },
  {
    name: 'a file of 11 MB can be written',
    files: {},
    ours: [['write_file', { path: 'a.txt', content: 'x'.repeat(11 << 20) }]],
    theirs: [['write_file', { path: 'a.txt', content: 'x'.repeat(11 << 20) }]],
    judge: (run) => onDisk('a.txt', 'x'.repeat(11 << 20))(run),
  },
  {
    name: 'four reads of a FIFO do not block the next call',
    files: { 'a.txt': 'here\n' },
    prepare: (root) => execFileSync('mkfifo', [path.join(root, 'pipe')]),
    ours: [...Array(4).fill(['read_file', { path: 'pipe' }]), ['read_file', { path: 'a.txt' }]],
    theirs: [...Array(4).fill(['read_text_file', { path: 'pipe' }]), ['read_text_file', { path: 'a.txt' }]],
    judge: ({ replies }) => (replies[4].text.includes('here') ? undefined : 'is never answered'),
  },
  {
    name: 'a link that leads out of the directory is rejected',
    files: { 'a.txt': 'here\n' },
    prepare: (root) => fs.symlinkSync('/etc/hostname', path.join(root, 'out')),
    ours: [['read_file', { path: 'out' }]],
    theirs: [['read_text_file', { path: 'out' }]],
    judge: ({ replies }) => (replies[0].isError ? undefined : 'is read'),
  },
]

/** The edit calls of `polyfs` and of the official file server. */
function edit(file, from, to) {
  return ['edit_file', { path: file, old_string: from, new_string: to }]
}

function theirEdit(file, from, to) {
  return ['edit_file', { path: file, edits: [{ oldText: from, newText: to }] }]
}

/** Judges by the bytes of one file; several contents can be right. */
function onDisk(file, contents) {
  const expected = [contents].flat().map((content) => Buffer.from(content))
  return ({ root, replies }) => {
    const place = path.join(root, file)
    if (!fs.existsSync(place)) return replies[0].text.slice(0, 60) || 'there is no file'
    const bytes = fs.readFileSync(place)
    if (expected.some((content) => content.equals(bytes))) return undefined
    return replies.every(({ isError }) => isError) ? 'is refused' : 'the bytes are wrong, and success is reported'
  }
}
