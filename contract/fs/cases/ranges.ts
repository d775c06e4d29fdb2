import type { ContractCase } from '../types.js'

const digits = '0123456789'

export const ranges: ContractCase[] = [
  {
    name: 'a range gives its bytes, start inclusive and end exclusive',
    tree: { f: digits },
    steps: [{ do: ['readFile', 'f', { start: 2, end: 5 }], gives: '234' }],
  },
  {
    name: 'a range from the start to the size is the whole file',
    tree: { f: digits },
    steps: [{ do: ['readFile', 'f', { start: 0, end: 10 }], gives: digits }],
  },
  {
    name: 'a range can be the first byte or the last',
    tree: { f: digits },
    steps: [
      { do: ['readFile', 'f', { start: 0, end: 1 }], gives: '0' },
      { do: ['readFile', 'f', { start: 9, end: 10 }], gives: '9' },
    ],
  },
  {
    name: 'a range that ends past the end of the file is cut off there',
    tree: { f: digits },
    steps: [
      { do: ['readFile', 'f', { start: 7, end: 11 }], gives: '789' },
      { do: ['readFile', 'f', { start: 7, end: 1_000_000 }], gives: '789' },
    ],
  },
  {
    name: 'a range may end as far away as a number reaches',
    tree: { f: digits },
    steps: [{ do: ['readFile', 'f', { start: 8, end: Number.MAX_SAFE_INTEGER }], gives: '89' }],
  },
  {
    name: 'a range that starts at the end of the file gives no bytes',
    tree: { f: digits },
    steps: [{ do: ['readFile', 'f', { start: 10, end: 20 }], gives: '' }],
  },
  {
    name: 'a range that starts past the end of the file gives no bytes',
    tree: { f: digits },
    steps: [
      { do: ['readFile', 'f', { start: 11, end: 12 }], gives: '' },
      { do: ['readFile', 'f', { start: 2 ** 40, end: 2 ** 40 + 10 }], gives: '' },
    ],
  },
  {
    name: 'an empty range gives no bytes, wherever it is',
    tree: { f: digits },
    steps: [
      { do: ['readFile', 'f', { start: 0, end: 0 }], gives: '' },
      { do: ['readFile', 'f', { start: 5, end: 5 }], gives: '' },
      { do: ['readFile', 'f', { start: 10, end: 10 }], gives: '' },
    ],
  },
  {
    name: 'a range of an empty file gives no bytes',
    tree: { empty: '' },
    steps: [{ do: ['readFile', 'empty', { start: 0, end: 10 }], gives: '' }],
  },
  {
    name: 'a range counts bytes and may cut a character in two',
    tree: { f: 'a€b' },
    steps: [
      { do: ['readFile', 'f', { start: 0, end: 2 }], gives: { bytes: [0x61, 0xe2] } },
      { do: ['readFile', 'f', { start: 2, end: 5 }], gives: { bytes: [0x82, 0xac, 0x62] } },
    ],
  },
  {
    name: 'ranges that meet give the whole file',
    tree: { f: digits },
    steps: [
      { do: ['readFile', 'f', { start: 0, end: 4 }], gives: '0123' },
      { do: ['readFile', 'f', { start: 4, end: 8 }], gives: '4567' },
      { do: ['readFile', 'f', { start: 8, end: 12 }], gives: '89' },
    ],
  },
  {
    name: 'a range of a missing file is NOT_FOUND',
    steps: [{ do: ['readFile', 'missing', { start: 0, end: 1 }], fails: 'NOT_FOUND' }],
  },
  {
    name: 'a range of a directory is IS_A_DIRECTORY',
    tree: { 'd/': {} },
    steps: [
      { do: ['readFile', 'd', { start: 0, end: 1 }], fails: 'IS_A_DIRECTORY' },
      { do: ['readFile', 'd', { start: 0, end: 0 }], fails: 'IS_A_DIRECTORY' },
    ],
  },
]
