import type { ContractCase } from '../types.js'

export const root: ContractCase[] = [
  {
    name: 'the root is a directory',
    steps: [{ do: ['stat', '/'], gives: { kind: 'directory' } }, { do: ['readDir', '/'] }],
  },
  {
    name: 'reading the root as a file is IS_A_DIRECTORY',
    steps: [{ do: ['readFile', '/'], fails: 'IS_A_DIRECTORY' }],
  },
  {
    name: 'writing the root as a file is IS_A_DIRECTORY',
    steps: [{ do: ['writeFile', '/', 'x'], fails: 'IS_A_DIRECTORY' }],
  },
  {
    name: 'making the root is EXISTS',
    steps: [{ do: ['makeDir', '/'], fails: 'EXISTS' }],
  },
  {
    name: 'removing the root is IS_ROOT',
    tree: { f: 'x' },
    steps: [{ do: ['remove', '/'], fails: 'IS_ROOT' }],
  },
  {
    name: 'renaming the root is IS_ROOT',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['rename', '/', 'd'], fails: 'IS_ROOT' },
      { do: ['rename', '/', 'd/inside'], fails: 'IS_ROOT' },
      { do: ['rename', '/', '/'], fails: 'IS_ROOT' },
    ],
  },
  {
    name: 'renaming something onto the root is IS_ROOT',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['rename', 'f', '/'], fails: 'IS_ROOT' },
      { do: ['rename', 'd', '/'], fails: 'IS_ROOT' },
    ],
  },
  {
    name: 'making a link at the root is EXISTS, and it is NOT_A_LINK',
    tree: { f: 'x' },
    steps: [
      { do: ['symlink', '/f', '/'], fails: 'EXISTS' },
      { do: ['readLink', '/'], fails: 'NOT_A_LINK' },
    ],
  },
]
