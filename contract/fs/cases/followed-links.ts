/** How links are treated behind `confine`: followed on the way and, where the content is meant, at the end. */
import type { ContractCase } from '../types.js'

const farUp = '../'.repeat(70)

export const followedLinks: ContractCase[] = [
  {
    name: 'followed: readFile reads through a link',
    links: 'followed',
    tree: { f: 'text', ln: { link: 'f' }, chain: { link: 'ln' }, 'd/up': { link: '../f' } },
    steps: [
      { do: ['readFile', 'ln'], gives: 'text' },
      { do: ['readFile', 'chain'], gives: 'text' },
      { do: ['readFile', 'd/up'], gives: 'text' },
      { do: ['readFile', 'ln', { start: 1, end: 3 }], gives: 'ex' },
    ],
  },
  {
    name: 'followed: writeFile changes what a link leads to and keeps the link',
    links: 'followed',
    tree: { f: 'old', ln: { link: 'f' }, chain: { link: 'ln' } },
    steps: [{ do: ['writeFile', 'chain', 'new'] }],
    after: { f: 'new', ln: { link: 'f' }, chain: { link: 'ln' } },
  },
  {
    name: 'followed: writeFile through a link that leads nowhere makes the file there',
    links: 'followed',
    tree: { 'd/': {}, ln: { link: 'd/new' } },
    steps: [{ do: ['writeFile', 'ln', 'x'] }],
    after: { 'd/new': 'x', ln: { link: 'd/new' } },
  },
  {
    name: 'followed: readDir lists the directory a link leads to',
    links: 'followed',
    tree: { 'd/f': 'x', ln: { link: 'd' } },
    steps: [{ do: ['readDir', 'ln'], gives: { f: 'file' } }],
  },
  {
    name: 'followed: setMode and setModified change what a link leads to',
    links: 'followed',
    tree: { f: { file: 'x', mode: 0o644 }, ln: { link: 'f' } },
    steps: [
      { do: ['setMode', 'ln', 0o600] },
      { do: ['setModified', 'ln', 1_000_000_000_000] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 0o600, modifiedMs: 1_000_000_000_000 } },
    ],
    after: { f: { file: 'x', mode: 0o600 }, ln: { link: 'f' } },
  },
  {
    name: 'followed: open reads through a link',
    links: 'followed',
    tree: { f: 'text', ln: { link: 'f' } },
    steps: [{ do: ['open', 'ln', [{ start: 0, end: 2 }]], gives: { size: 4, reads: ['te'] } }],
  },
  {
    name: 'followed: every operation works through a linked directory',
    links: 'followed',
    tree: { 'd/f': 'x', 'd/gone': 'y', 'd/moved': 'z', ln: { link: 'd' }, out: 'o' },
    steps: [
      { do: ['stat', 'ln/f'], gives: { kind: 'file', size: 1 } },
      { do: ['readFile', 'ln/f'], gives: 'x' },
      { do: ['writeFile', 'ln/f', 'changed'] },
      { do: ['writeFile', 'ln/new', 'n', { exclusive: true }] },
      { do: ['makeDir', 'ln/sub'] },
      { do: ['readDir', 'ln/sub'], gives: {} },
      { do: ['remove', 'ln/gone'] },
      { do: ['rename', 'ln/moved', 'moved'] },
      { do: ['rename', 'out', 'ln/sub/in'] },
      { do: ['rename', 'ln/new', 'ln/newer'] },
      { do: ['symlink', 'f', 'ln/inner'] },
      { do: ['readLink', 'ln/inner'], gives: 'f' },
    ],
    after: {
      'd/f': 'changed',
      'd/newer': 'n',
      'd/sub/in': 'o',
      'd/inner': { link: 'f' },
      ln: { link: 'd' },
      moved: 'z',
    },
  },
  {
    name: 'followed: reading through a link that leads nowhere is NOT_FOUND',
    links: 'followed',
    tree: { dangling: { link: 'missing' } },
    steps: [
      { do: ['readFile', 'dangling'], fails: 'NOT_FOUND' },
      { do: ['readDir', 'dangling'], fails: 'NOT_FOUND' },
      { do: ['stat', 'dangling/x'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'followed: a path through a link to a file is NOT_A_DIRECTORY',
    links: 'followed',
    tree: { f: 'x', ln: { link: 'f' } },
    steps: [{ do: ['readFile', 'ln/x'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'followed: links in a circle are LINK_LOOP, and no call hangs on them',
    links: 'followed',
    tree: { a: { link: 'b' }, b: { link: 'a' }, self: { link: 'self' }, down: { link: 'down/x' } },
    steps: [
      { do: ['readFile', 'a'], fails: 'LINK_LOOP' },
      { do: ['readDir', 'self'], fails: 'LINK_LOOP' },
      { do: ['stat', 'self/x'], fails: 'LINK_LOOP' },
      { do: ['writeFile', 'b', 'x'], fails: 'LINK_LOOP' },
      { do: ['readFile', 'down'], fails: 'LINK_LOOP' },
    ],
  },
  {
    name: 'followed: a link that leads out is OUTSIDE',
    links: 'followed',
    tree: { f: 'x' },
    steps: [{ do: ['symlink', `${farUp}etc`, 'out'], fails: 'OUTSIDE' }],
  },
]
