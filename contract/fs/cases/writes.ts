import type { ContractCase } from '../types.js'

const allBytes = { bytes: Array.from({ length: 256 }, (_, byte) => byte) }

export const writes: ContractCase[] = [
  {
    name: 'writeFile creates a file',
    steps: [{ do: ['writeFile', 'new.txt', 'text'] }],
    after: { 'new.txt': 'text' },
  },
  {
    name: 'writeFile creates a file beside others and leaves them alone',
    tree: { 'd/a': 'A', 'd/c': 'C' },
    steps: [{ do: ['writeFile', 'd/b', 'B'] }],
    after: { 'd/a': 'A', 'd/b': 'B', 'd/c': 'C' },
  },
  {
    name: 'writeFile replaces a file',
    tree: { f: 'old' },
    steps: [{ do: ['writeFile', 'f', 'new'] }, { do: ['readFile', 'f'], gives: 'new' }],
    after: { f: 'new' },
  },
  {
    name: 'writeFile with fewer bytes leaves none of the old ones behind',
    tree: { f: 'a long text' },
    steps: [{ do: ['writeFile', 'f', 'ab'] }, { do: ['stat', 'f'], gives: { kind: 'file', size: 2 } }],
    after: { f: 'ab' },
  },
  {
    name: 'writeFile with more bytes than before keeps them all',
    tree: { f: 'ab' },
    steps: [{ do: ['writeFile', 'f', 'a long text'] }, { do: ['stat', 'f'], gives: { kind: 'file', size: 11 } }],
    after: { f: 'a long text' },
  },
  {
    name: 'writeFile can create an empty file',
    steps: [{ do: ['writeFile', 'empty', ''] }, { do: ['stat', 'empty'], gives: { kind: 'file', size: 0 } }],
    after: { empty: '' },
  },
  {
    name: 'writeFile can empty a file',
    tree: { f: 'text' },
    steps: [{ do: ['writeFile', 'f', ''] }],
    after: { f: '' },
  },
  {
    name: 'writeFile keeps every byte value',
    steps: [{ do: ['writeFile', 'all', allBytes] }, { do: ['readFile', 'all'], gives: allBytes }],
    after: { all: allBytes },
  },
  {
    name: 'writeFile adds no newline and changes no line ending',
    steps: [{ do: ['writeFile', 'f', '\uFEFFa\r\nb\n\n c'] }],
    after: { f: '\uFEFFa\r\nb\n\n c' },
  },
  {
    name: 'bytes that were written are copied: changing them afterwards does not change the file',
    steps: [{ do: ['writeFile', 'f', 'kept'] }, { do: ['readFile', 'f'], gives: 'kept' }],
    after: { f: 'kept' },
  },
  {
    name: 'writeFile many times over leaves the last',
    steps: [
      { do: ['writeFile', 'f', 'one'] },
      { do: ['writeFile', 'f', 'two'] },
      { do: ['readFile', 'f'], gives: 'two' },
      { do: ['writeFile', 'f', 'three'] },
    ],
    after: { f: 'three' },
  },
  {
    name: 'an exclusive write creates a file',
    steps: [{ do: ['writeFile', 'new', 'text', { exclusive: true }] }],
    after: { new: 'text' },
  },
  {
    name: 'an exclusive write onto a file is EXISTS and leaves it as it is',
    tree: { f: 'old' },
    steps: [{ do: ['writeFile', 'f', 'new', { exclusive: true }], fails: 'EXISTS' }],
  },
  {
    name: 'an exclusive write onto an empty file is EXISTS',
    tree: { empty: '' },
    steps: [{ do: ['writeFile', 'empty', 'new', { exclusive: true }], fails: 'EXISTS' }],
  },
  {
    name: 'an exclusive write onto a directory fails',
    tree: { 'd/': {} },
    steps: [{ do: ['writeFile', 'd', 'new', { exclusive: true }], fails: ['EXISTS', 'IS_A_DIRECTORY'] }],
  },
  {
    name: 'an exclusive write succeeds again once the file is removed',
    tree: { f: 'old' },
    steps: [{ do: ['remove', 'f'] }, { do: ['writeFile', 'f', 'new', { exclusive: true }] }],
    after: { f: 'new' },
  },
  {
    name: 'exclusive: false is as if it were not given',
    tree: { f: 'old' },
    steps: [{ do: ['writeFile', 'f', 'new', { exclusive: false }] }],
    after: { f: 'new' },
  },
  {
    name: 'writeFile does not make the parent: a missing one is NOT_FOUND',
    steps: [
      { do: ['writeFile', 'missing/f', 'x'], fails: 'NOT_FOUND' },
      { do: ['writeFile', 'missing/too/f', 'x', { exclusive: true }], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'writeFile below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [
      { do: ['writeFile', 'f/g', 'y'], fails: 'NOT_A_DIRECTORY' },
      { do: ['writeFile', 'f/g/h', 'y'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'writeFile onto a directory is IS_A_DIRECTORY',
    tree: { 'empty/': {}, 'full/f': 'x' },
    steps: [
      { do: ['writeFile', 'empty', 'y'], fails: 'IS_A_DIRECTORY' },
      { do: ['writeFile', 'full', 'y'], fails: 'IS_A_DIRECTORY' },
    ],
  },
  {
    name: 'a new file gets the mode it is written with, exactly',
    needs: { modeBits: true },
    steps: [
      { do: ['writeFile', 'private', 'x', { mode: 0o600 }] },
      { do: ['stat', 'private'], gives: { kind: 'file', size: 1, mode: 0o600 } },
      { do: ['writeFile', 'script', 'x', { mode: 0o755 }] },
      { do: ['writeFile', 'open', 'x', { mode: 0o666 }] },
      { do: ['writeFile', 'once', 'x', { mode: 0o640, exclusive: true }] },
    ],
    after: {
      private: { file: 'x', mode: 0o600 },
      script: { file: 'x', mode: 0o755 },
      open: { file: 'x', mode: 0o666 },
      once: { file: 'x', mode: 0o640 },
    },
  },
  {
    name: 'writeFile keeps the mode of a file it replaces',
    tree: { f: { file: 'old', mode: 0o750 }, g: { file: 'old', mode: 0o600 } },
    steps: [{ do: ['writeFile', 'f', 'new'] }, { do: ['writeFile', 'g', 'new', { mode: 0o777 }] }],
    after: { f: { file: 'new', mode: 0o750 }, g: { file: 'new', mode: 0o600 } },
  },
  {
    name: 'where modes are not kept, one given with a write is ignored',
    needs: { modeBits: false },
    steps: [
      { do: ['writeFile', 'f', 'x', { mode: 0o600 }] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 'absent' } },
    ],
    after: { f: 'x' },
  },
]
