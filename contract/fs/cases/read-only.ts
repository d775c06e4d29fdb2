/** `writable: false`: every mutation fails the same way, whatever lies at its path, and reading works as ever. */
import type { Call, ContractCase } from '../types.js'

const mutations: Call[] = [
  { do: ['writeFile', 'f', 'y'] },
  { do: ['writeFile', 'new', 'y'] },
  { do: ['writeFile', 'f', 'y', { exclusive: true }] },
  { do: ['writeFile', 'missing/f', 'y'] },
  { do: ['makeDir', 'new'] },
  { do: ['makeDir', 'd'] },
  { do: ['remove', 'f'] },
  { do: ['remove', 'd'] },
  { do: ['remove', 'missing'] },
  { do: ['rename', 'f', 'g'] },
  { do: ['rename', 'd', 'e'] },
  { do: ['rename', 'f', 'f'] },
  { do: ['symlink', 'f', 'new'] },
  { do: ['setMode', 'f', 0o600] },
  { do: ['setModified', 'f', 0] },
]

export const readOnly: ContractCase[] = [
  ...mutations.map(
    (call): ContractCase => ({
      name: `writable: false means READ_ONLY: ${call.do.map((part) => (typeof part === 'object' ? JSON.stringify(part) : part)).join(' ')}`,
      needs: { writable: false },
      tree: { f: 'x', 'd/': {} },
      steps: [{ ...call, fails: 'READ_ONLY' }],
    }),
  ),
  {
    name: 'writable: false leaves reading as it is',
    needs: { writable: false },
    tree: { f: 'text', 'd/g': 'y' },
    steps: [
      { do: ['readFile', 'f'], gives: 'text' },
      { do: ['readFile', 'f', { start: 1, end: 2 }], gives: 'e' },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 4 } },
      { do: ['readDir', 'd'], gives: { g: 'file' } },
      { do: ['readFile', 'missing'], fails: 'NOT_FOUND' },
    ],
  },
]
