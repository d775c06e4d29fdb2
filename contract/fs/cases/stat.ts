import type { ContractCase } from '../types.js'

export const stats: ContractCase[] = [
  {
    name: 'stat of a file gives its kind and its size in bytes',
    tree: { f: 'a€b', empty: '' },
    steps: [
      { do: ['stat', 'f'], gives: { kind: 'file', size: 5 } },
      { do: ['stat', 'empty'], gives: { kind: 'file', size: 0 } },
    ],
  },
  {
    name: 'stat of a directory gives its kind and no size',
    tree: { 'empty/': {}, 'full/f': 'x' },
    steps: [
      { do: ['stat', 'empty'], gives: { kind: 'directory' } },
      { do: ['stat', 'full'], gives: { kind: 'directory' } },
    ],
  },
  {
    name: 'stat of a link describes the link, and gives no size',
    tree: { f: 'text', 'd/': {}, toFile: { link: 'f' }, toDirectory: { link: 'd' } },
    steps: [
      { do: ['stat', 'toFile'], gives: { kind: 'symlink' } },
      { do: ['stat', 'toDirectory'], gives: { kind: 'symlink' } },
    ],
  },
  {
    name: 'stat of a link that leads nowhere describes the link',
    tree: { dangling: { link: 'missing' } },
    steps: [{ do: ['stat', 'dangling'], gives: { kind: 'symlink' } }],
  },
  {
    name: 'stat of what is missing is NOT_FOUND',
    steps: [
      { do: ['stat', 'missing'], fails: 'NOT_FOUND' },
      { do: ['stat', 'missing/too'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'stat below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [
      { do: ['stat', 'f/g'], fails: 'NOT_A_DIRECTORY' },
      { do: ['stat', 'f/g/h'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'stat gives the new size after a write',
    tree: { f: 'x' },
    steps: [{ do: ['writeFile', 'f', '12345'] }, { do: ['stat', 'f'], gives: { kind: 'file', size: 5 } }],
    after: { f: '12345' },
  },
]
