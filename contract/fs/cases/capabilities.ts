/** Every flag both ways: where it is true its methods exist and work, where it is false they are absent. */
import type { Call, ContractCase } from '../types.js'

const replacements = Array.from({ length: 20 }, (_, index) => `replacement-${index}`)

export const capabilities: ContractCase[] = [
  {
    name: 'the methods every file system has exist',
    steps: [{ has: ['stat', 'readFile', 'writeFile', 'readDir', 'makeDir', 'remove', 'rename'] }],
  },
  {
    name: 'symlinks: true means symlink and readLink exist',
    needs: { symlinks: true },
    steps: [{ has: ['symlink', 'readLink'] }],
  },
  {
    name: 'symlinks: false means symlink and readLink are absent',
    needs: { symlinks: false },
    steps: [{ lacks: ['symlink', 'readLink'] }],
  },
  {
    name: 'modeBits: true means setMode exists and modes are known',
    needs: { modeBits: true },
    tree: { f: 'x', 'd/': {} },
    steps: [
      { has: ['setMode'] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 'known' } },
      { do: ['stat', 'd'], gives: { kind: 'directory', mode: 'known' } },
    ],
  },
  {
    name: 'modeBits: false means setMode is absent and so is every mode',
    needs: { modeBits: false },
    tree: { f: 'x', 'd/': {} },
    steps: [
      { lacks: ['setMode'] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, mode: 'absent' } },
      { do: ['stat', 'd'], gives: { kind: 'directory', mode: 'absent' } },
    ],
  },
  {
    name: 'modified: write means setModified exists and times are known',
    needs: { modified: 'write' },
    tree: { f: 'x' },
    steps: [{ has: ['setModified'] }, { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: 'now' } }],
  },
  {
    name: 'modified: read means setModified is absent and the time of a file is known',
    needs: { modified: 'read' },
    tree: { f: 'x' },
    steps: [{ lacks: ['setModified'] }, { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: 'now' } }],
  },
  {
    name: 'modified: none means setModified is absent and so is every time',
    needs: { modified: 'none' },
    tree: { f: 'x', 'd/': {} },
    steps: [
      { lacks: ['setModified'] },
      { do: ['stat', 'f'], gives: { kind: 'file', size: 1, modifiedMs: 'absent' } },
      { do: ['stat', 'd'], gives: { kind: 'directory', modifiedMs: 'absent' } },
    ],
  },
  {
    name: 'watch: true means watch exists',
    needs: { watch: true },
    steps: [{ has: ['watch'] }],
  },
  {
    name: 'watch: false means watch is absent',
    needs: { watch: false },
    steps: [{ lacks: ['watch'] }],
  },
  {
    name: 'caseSensitive: true means names that differ in case are different names',
    needs: { caseSensitive: true },
    tree: { readme: 'lower' },
    steps: [
      { do: ['stat', 'README'], fails: 'NOT_FOUND' },
      { do: ['writeFile', 'README', 'upper', { exclusive: true }] },
      { do: ['makeDir', 'Readme'] },
    ],
    after: { readme: 'lower', README: 'upper', 'Readme/': {} },
  },
  {
    name: 'caseSensitive: false means names that differ in case are the same name',
    needs: { caseSensitive: false },
    tree: { readme: 'lower' },
    steps: [
      { do: ['readFile', 'README'], gives: 'lower' },
      { do: ['writeFile', 'README', 'upper', { exclusive: true }], fails: 'EXISTS' },
      { do: ['makeDir', 'Readme'], fails: 'EXISTS' },
      { do: ['readDir', ''], gives: { readme: 'file' } },
    ],
  },
  {
    name: 'writable: true means a file can be written',
    needs: { writable: true },
    steps: [{ do: ['writeFile', 'f', 'x'] }],
    after: { f: 'x' },
  },
  {
    name: 'atomicRename: true means a reader finds the old file or the new one at every moment of a rename',
    needs: { atomicRename: true },
    tree: { f: 'old', ...Object.fromEntries(replacements.map((name) => [name, `content of ${name}`])) },
    steps: [
      {
        together: replacements.flatMap((name): Call[] => [
          { do: ['rename', name, 'f'] },
          { do: ['readFile', 'f'], gives: { oneOf: ['old', ...replacements.map((each) => `content of ${each}`)] } },
        ]),
      },
    ],
    after: { f: { oneOf: replacements.map((name) => `content of ${name}`) } },
  },
  {
    name: 'atomicRename: false still means a rename that has returned is whole',
    needs: { atomicRename: false },
    tree: { f: 'old', g: 'new', 'd/sub/h': 'h' },
    steps: [
      { do: ['rename', 'g', 'f'] },
      { do: ['readFile', 'f'], gives: 'new' },
      { do: ['rename', 'd', 'e'] },
      { do: ['readFile', 'e/sub/h'], gives: 'h' },
    ],
    after: { f: 'new', 'e/sub/h': 'h' },
  },
  {
    name: 'sync: true means a call is done when it returns, before anything is awaited',
    needs: { sync: true },
    tree: { f: 'old' },
    steps: [
      {
        together: [
          { do: ['readFile', 'f'], gives: 'old' },
          { do: ['writeFile', 'f', 'new'] },
          { do: ['readFile', 'f'], gives: 'new' },
          { do: ['makeDir', 'd'] },
          { do: ['rename', 'f', 'd/f'] },
          { do: ['readFile', 'f'], fails: 'NOT_FOUND' },
          { do: ['readFile', 'd/f'], gives: 'new' },
          { do: ['remove', 'd'], fails: 'NOT_EMPTY' },
        ],
      },
    ],
    after: { 'd/f': 'new' },
  },
  {
    name: 'sync: false still means a call is done when its promise is',
    needs: { sync: false },
    tree: { f: 'old' },
    steps: [
      { together: [{ do: ['writeFile', 'f', 'new'] }, { do: ['readFile', 'f'], gives: { oneOf: ['old', 'new'] } }] },
      { do: ['readFile', 'f'], gives: 'new' },
    ],
    after: { f: 'new' },
  },
]
