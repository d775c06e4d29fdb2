import type { Call, ContractCase } from '../types.js'

const longAgoMs = 1_000_000_000_000

export const attributes: ContractCase[] = [
  {
    name: 'setMode changes the mode of a file and not its content',
    tree: { f: { file: 'x', mode: 0o644 } },
    steps: [
      { do: ['setMode', 'f', 0o755] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 0o755 } },
      { do: ['setMode', 'f', 0o600] },
    ],
    after: { f: { file: 'x', mode: 0o600 } },
  },
  {
    name: 'a file that nobody may write is made with its content',
    steps: [
      { do: ['writeFile', 'f', 'x', { mode: 0o444 }] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 0o444 } },
      { do: ['readFile', 'f'], gives: 'x' },
      { do: ['setMode', 'f', 0o644] },
    ],
    after: { f: { file: 'x', mode: 0o644 } },
  },
  {
    name: 'setMode changes the mode of a directory',
    tree: { 'd/f': 'x' },
    steps: [{ do: ['setMode', 'd', 0o700] }, { do: ['stat', 'd'], gives: { kind: 'directory', mode: 0o700 } }],
    after: { 'd/': { mode: 0o700 }, 'd/f': 'x' },
  },
  {
    name: 'setMode of what is missing is NOT_FOUND',
    steps: [{ do: ['setMode', 'missing', 0o600], fails: 'NOT_FOUND' }],
  },
  {
    name: 'setMode below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['setMode', 'f/g', 0o600], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'setModified sets the time of a file and leaves its content and mode',
    tree: { f: 'x' },
    steps: [
      { do: ['setModified', 'f', longAgoMs] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: longAgoMs } },
    ],
  },
  {
    name: 'setModified keeps milliseconds',
    tree: { f: 'x' },
    steps: [1_700_000_000_123, 1_700_000_000_001, 1_234_567_890_999, 1_999_999_999_999].flatMap(
      (modifiedMs): Call[] => [
        { do: ['setModified', 'f', modifiedMs] },
        { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs } },
      ],
    ),
  },
  {
    name: 'setModified takes 1970, times before it and times to come',
    tree: { f: 'x' },
    steps: [
      { do: ['setModified', 'f', 0] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: 0 } },
      { do: ['setModified', 'f', -86_400_000] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: -86_400_000 } },
      { do: ['setModified', 'f', 4_102_444_800_000] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: 4_102_444_800_000 } },
    ],
  },
  {
    name: 'setModified sets the time of a directory',
    tree: { 'd/': {} },
    steps: [
      { do: ['setModified', 'd', longAgoMs] },
      { do: ['stat', 'd'], gives: { kind: 'directory', modifiedMs: longAgoMs } },
    ],
  },
  {
    name: 'setModified of what is missing is NOT_FOUND',
    steps: [{ do: ['setModified', 'missing', longAgoMs], fails: 'NOT_FOUND' }],
  },
  {
    name: 'setModified below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['setModified', 'f/g', longAgoMs], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'a write makes a file modified now',
    tree: { f: 'old' },
    steps: [
      { do: ['setModified', 'f', longAgoMs] },
      { do: ['writeFile', 'f', 'new'] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 3, modifiedMs: 'now' } },
    ],
    after: { f: 'new' },
  },
  {
    name: 'reading a file leaves its time',
    tree: { f: 'x' },
    steps: [
      { do: ['setModified', 'f', longAgoMs] },
      { do: ['readFile', 'f'], gives: 'x' },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: longAgoMs } },
    ],
  },
  {
    name: 'setMode leaves the time, and setModified the mode',
    tree: { f: { file: 'x', mode: 0o640 } },
    steps: [
      { do: ['setModified', 'f', longAgoMs] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 0o640, modifiedMs: longAgoMs } },
      { do: ['setMode', 'f', 0o600] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 0o600, modifiedMs: longAgoMs } },
    ],
    after: { f: { file: 'x', mode: 0o600 } },
  },
]
