import type { ContractCase } from '../types.js'

export const reads: ContractCase[] = [
  {
    name: 'readFile gives the whole file',
    tree: { 'a.txt': 'first\nsecond\n' },
    steps: [{ do: ['readFile', 'a.txt'], gives: 'first\nsecond\n' }],
  },
  {
    name: 'readFile of an empty file gives no bytes',
    tree: { empty: '' },
    steps: [{ do: ['readFile', 'empty'], gives: '' }],
  },
  {
    name: 'readFile gives every byte value as it is',
    tree: { all: { bytes: Array.from({ length: 256 }, (_, byte) => byte) } },
    steps: [{ do: ['readFile', 'all'], gives: { bytes: Array.from({ length: 256 }, (_, byte) => byte) } }],
  },
  {
    name: 'readFile keeps a byte order mark and mixed line endings',
    tree: { mixed: '\uFEFFa\r\nb\nc\rd' },
    steps: [{ do: ['readFile', 'mixed'], gives: '\uFEFFa\r\nb\nc\rd' }],
  },
  {
    name: 'readFile gives bytes that are not UTF-8 as they are',
    tree: { latin: { bytes: [0x63, 0x61, 0x66, 0xe9, 0xff, 0xfe, 0x00, 0x80] } },
    steps: [{ do: ['readFile', 'latin'], gives: { bytes: [0x63, 0x61, 0x66, 0xe9, 0xff, 0xfe, 0x00, 0x80] } }],
  },
  {
    name: 'readFile reads a file in a directory',
    tree: { 'a/b/c.txt': 'deep', 'a/c.txt': 'shallow' },
    steps: [
      { do: ['readFile', 'a/b/c.txt'], gives: 'deep' },
      { do: ['readFile', 'a/c.txt'], gives: 'shallow' },
    ],
  },
  {
    name: 'bytes that were read belong to the caller: changing them does not change the file',
    tree: { f: 'kept' },
    steps: [
      { do: ['readFile', 'f'], gives: 'kept' },
      { do: ['readFile', 'f'], gives: 'kept' },
      { do: ['readFile', 'f', { start: 1, end: 3 }], gives: 'ep' },
      { do: ['readFile', 'f', { start: 1, end: 3 }], gives: 'ep' },
    ],
  },
  {
    name: 'readFile of a missing file is NOT_FOUND',
    tree: { d: 'x' },
    steps: [{ do: ['readFile', 'missing'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'readFile below a missing directory is NOT_FOUND',
    steps: [{ do: ['readFile', 'missing/f'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'readFile below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [
      { do: ['readFile', 'f/g'], fails: 'NOT_A_DIRECTORY' },
      { do: ['readFile', 'f/g/h'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'readFile of a directory is IS_A_DIRECTORY',
    tree: { 'd/': {}, 'full/f': 'x' },
    steps: [
      { do: ['readFile', 'd'], fails: 'IS_A_DIRECTORY' },
      { do: ['readFile', 'full'], fails: 'IS_A_DIRECTORY' },
    ],
  },
]
