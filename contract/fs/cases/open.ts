import type { ContractCase } from '../types.js'

export const open: ContractCase[] = [
  {
    name: 'open gives the size and reads ranges in any order',
    tree: { f: '0123456789' },
    steps: [
      {
        do: [
          'open',
          'f',
          [
            { start: 4, end: 7 },
            { start: 0, end: 2 },
            { start: 0, end: 10 },
            { start: 9, end: 10 },
          ],
        ],
        gives: { size: 10, reads: ['456', '01', '0123456789', '9'] },
      },
    ],
  },
  {
    name: 'a range read from an open file is cut off at its end, and may be empty',
    tree: { f: '0123456789' },
    steps: [
      {
        do: [
          'open',
          'f',
          [
            { start: 8, end: 20 },
            { start: 10, end: 11 },
            { start: 99, end: 100 },
            { start: 5, end: 5 },
          ],
        ],
        gives: { size: 10, reads: ['89', '', '', ''] },
      },
    ],
  },
  {
    name: 'an empty file can be opened',
    tree: { empty: '' },
    steps: [{ do: ['open', 'empty', [{ start: 0, end: 5 }]], gives: { size: 0, reads: [''] } }],
  },
  {
    name: 'bytes read from an open file belong to the caller',
    tree: { f: 'kept' },
    steps: [
      {
        do: [
          'open',
          'f',
          [
            { start: 0, end: 4 },
            { start: 0, end: 4 },
          ],
        ],
        gives: { size: 4, reads: ['kept', 'kept'] },
      },
      { do: ['readFile', 'f'], gives: 'kept' },
    ],
  },
  {
    name: 'a file that was open can be written and removed once it is closed',
    tree: { f: 'old' },
    steps: [
      { do: ['open', 'f', [{ start: 0, end: 3 }]], gives: { size: 3, reads: ['old'] } },
      { do: ['writeFile', 'f', 'new!'] },
      { do: ['open', 'f', [{ start: 0, end: 4 }]], gives: { size: 4, reads: ['new!'] } },
      { do: ['remove', 'f'] },
    ],
    after: {},
  },
  {
    name: 'open of a directory is IS_A_DIRECTORY',
    tree: { 'd/': {} },
    steps: [{ do: ['open', 'd'], fails: 'IS_A_DIRECTORY' }],
  },
  {
    name: 'open of what is missing is NOT_FOUND',
    steps: [
      { do: ['open', 'missing'], fails: 'NOT_FOUND' },
      { do: ['open', 'missing/too'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'open below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['open', 'f/g'], fails: 'NOT_A_DIRECTORY' }],
  },
]
