import { Volume } from 'memfs'
import { describe, expect, test } from 'vitest'
import { contractCases, runCase, runContract } from '../../../contract/fs/index.js'
import { FsError } from '../../../src/errors.js'
import { fromMemfs } from '../../../src/fs/backends/memfs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { readonly } from '../../../src/fs/backends/readonly.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { dirname } from '../../../src/fs/path.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { describeContract, describeWrapperContract } from '../../describe-contract.js'
import { foldingNames, ignoringCase } from './folding-names.js'

describe('the contract', () => {
  test('has cases with unique names', () => {
    const names = contractCases.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })

  test('is plain data, so that it can be run in a worker', () => {
    expect(structuredClone(contractCases)).toEqual(contractCases)
  })

  test('reports every case of a target as passed, skipped with its reason, or failed with what was expected', async () => {
    const report = await runContract(
      { fs: memory(), base: '/base' },
      {
        cases: [
          { name: 'is kept', steps: [{ do: ['writeFile', 'f', 'x'] }], after: { f: 'x' } },
          { name: 'does not apply', needs: { writable: false }, steps: [] },
          { name: 'is broken', tree: { f: 'x' }, steps: [{ do: ['readFile', 'f'], gives: 'y' }] },
        ],
        deviations: { 'the root is a directory': 'declared', 'no such case': 'misspelt' },
      },
    )
    expect(report).toEqual({
      passed: 1,
      skipped: 1,
      failed: 2,
      results: [
        {
          name: 'no such case',
          outcome: 'failed',
          message: 'a deviation is declared for it, and there is no such case',
        },
        { name: 'is kept', outcome: 'passed' },
        { name: 'does not apply', outcome: 'skipped', reason: 'needs writable: false, and here it is true' },
        {
          name: 'is broken',
          outcome: 'failed',
          message: 'readFile "/base/case-2/f"\n  expected: "y"\n  actual:   "x"',
        },
      ],
    })
  })
})

describeContract('memory', () => ({ fs: memory(), base: '/base' }))

describeWrapperContract('a fork in memory', () => ({ fs: memory().fork(), base: '/base' }))

describeContract('a volume of memfs', () => ({ fs: fromMemfs(new Volume()), base: '/base' }))

describeWrapperContract('an overlay on memory, its tree in the lower layer,', () => {
  const lower = memory()
  return { fs: overlay(lower, memory()), seed: lower, base: '/base' }
})

describeWrapperContract('an overlay on memory, its tree in the upper layer,', () => ({
  fs: overlay(memory({ '/base/': '' }), memory()),
  base: '/base',
}))

describeWrapperContract('memory mounted below the root', () => ({
  fs: mount({ '/a': memory() }),
  base: '/a/base',
  root: '/a',
}))

describeWrapperContract('memory with another mounted inside it', () => ({
  fs: mount({ '/': memory(), '/a/b': memory() }),
  base: '/base',
}))

describeWrapperContract('confined memory', () => {
  const fs = memory({ '/work/': '', '/outside': 'never reached' })
  return {
    fs: confine(fs, { roots: [{ path: '/work', access: 'read-write' }] }),
    seed: fs,
    base: '/work/base',
    root: '/work',
    links: 'followed',
  }
})

describeWrapperContract('memory confined with rules that allow all the cases do', () => {
  const fs = memory({ '/work/': '', '/outside': 'never reached' })
  const decide = (path: string) => (path === '/work/denied' ? { verdict: 'deny' as const, rule: '/denied' } : undefined)
  return {
    fs: confine(fs, { roots: [{ path: '/work', access: 'read-write' }], rules: { decide, limitsReading: true } }),
    seed: fs,
    base: '/work/base',
    root: '/work',
    links: 'followed',
  }
})

describeWrapperContract('read-only memory', () => {
  const fs = memory()
  return { fs: readonly(fs), seed: fs, base: '/base' }
})

describeWrapperContract('memory confined to a read-only root', () => {
  const fs = memory({ '/work/': '' })
  return {
    fs: confine(fs, { roots: [{ path: '/work', access: 'read-only' }] }),
    seed: fs,
    base: '/work/base',
    root: '/work',
    links: 'followed',
  }
})

describeWrapperContract('a file system with nothing that can be left out', () => {
  const fs = memory()
  return { fs: foldingNames(least(fs), ignoringCase), seed: fs, base: '/base' }
})

/** What each fault of a backend does to the case that is about it: the contract must notice. */
const faults: { fault: string; caseName: string; breaks(fs: FileSystem): Partial<FileSystem>; failure: string }[] = [
  {
    fault: 'hands out the bytes it keeps',
    caseName: 'bytes that were read belong to the caller: changing them does not change the file',
    breaks(fs) {
      const kept = new Map<string, Promise<Uint8Array>>()
      return {
        readFile(path, range) {
          const bytes = kept.get(path) ?? fs.readFile(path, range)
          kept.set(path, bytes)
          return bytes
        },
      }
    },
    failure: 'readFile "/base/f"\n  expected: "kept"\n  actual:   "####"',
  },
  {
    fault: 'ignores exclusive',
    caseName: 'an exclusive write onto a file is EXISTS and leaves it as it is',
    breaks: (fs) => ({ writeFile: (path, data) => fs.writeFile(path, data) }),
    failure: 'writeFile "/base/f"\n  expected: EXISTS\n  actual:   success',
  },
  {
    fault: 'leaves a temporary file behind',
    caseName: 'writeFile creates a file',
    breaks: (fs) => ({
      async writeFile(path, data, options) {
        await fs.writeFile(`${path}.tmp`, data)
        await fs.writeFile(path, data, options)
      },
    }),
    failure: 'the tree afterwards:\n  "new.txt.tmp" exists and should not',
  },
  {
    fault: 'throws an error of its own',
    caseName: 'stat of what is missing is NOT_FOUND',
    breaks: () => ({ stat: () => Promise.reject(new TypeError('no such file')) }),
    failure: 'stat "/base/missing"\n  expected: NOT_FOUND\n  actual:   TypeError that is not an FsError: no such file',
  },
  {
    fault: 'names another path than the one it was given',
    caseName: 'readFile below a missing directory is NOT_FOUND',
    breaks: () => ({ readFile: (path) => Promise.reject(new FsError('NOT_FOUND', { path: dirname(path) })) }),
    failure: 'readFile "/base/missing/f" NOT_FOUND path\n  expected: /base/missing/f\n  actual:   /base/missing',
  },
  {
    fault: 'lists a name twice',
    caseName: 'readDir goes one level deep',
    breaks: (fs) => ({ readDir: async (path) => (await fs.readDir(path)).flatMap((entry) => [entry, entry]) }),
    failure: 'readDir "/base/d"\n  2 listed twice',
  },
  {
    fault: 'has a method that its flag denies',
    caseName: 'symlinks: false means symlink and readLink are absent',
    breaks: (fs) => ({ capabilities: { ...fs.capabilities, symlinks: false } }),
    failure: 'symlink\n  expected: absent\n  actual:   function',
  },
  {
    fault: 'copies and forgets to remove',
    caseName: 'rename moves a file into another directory',
    breaks: (fs) => ({ rename: async (from, to) => fs.writeFile(to, await fs.readFile(from)) }),
    failure: 'the tree afterwards:\n  "from/f" exists and should not',
  },
  {
    fault: 'goes on reporting to a watcher that was ended',
    caseName: 'a watcher that has been ended hears of nothing more',
    breaks: (fs) => ({
      async watch(path, onChange) {
        await fs.watch?.(path, onChange)
        return () => {}
      },
    }),
    failure: 'watch /base/d\n  expected: silence once ended\n  actual:   heard of /base/d/a',
  },
  {
    fault: 'checks that a name is free before it begins to write',
    caseName: 'of exclusive writes at once to one file exactly one wins, and the others are EXISTS',
    breaks: (fs) => ({
      async writeFile(path, data) {
        const taken = await fs.stat(path).catch(() => undefined)
        if (taken !== undefined) throw new FsError('EXISTS', { path })
        await fs.writeFile(path, data)
      },
    }),
    failure: '6 calls at once\n  expected: 1 succeed\n  actual:   6 did',
  },
]

describe('the contract notices a backend that', () => {
  test.each(faults)('$fault', async ({ caseName, breaks, failure }) => {
    const fs = memory()
    const contractCase = contractCases.find(({ name }) => name === caseName)
    if (contractCase === undefined) throw new Error(`there is no case "${caseName}"`)
    const run = runCase({ fs: { ...fs, ...breaks(fs) }, seed: fs, base: '/base' }, contractCase)
    await expect(run).rejects.toMatchObject({ message: failure })
  })
})

/** Only what every file system has, and of a stat only what every one knows. */
function least(fs: FileSystem): FileSystem {
  const { readFile, writeFile, readDir, makeDir, remove, rename } = fs
  return {
    capabilities: {
      symlinks: false,
      atomicRename: false,
      modeBits: false,
      modified: 'none',
      watch: false,
      caseSensitive: true,
      writable: true,
      sync: false,
    },
    async stat(path) {
      const { kind, size } = await fs.stat(path)
      return size === undefined ? { kind } : { kind, size }
    },
    readFile,
    writeFile,
    readDir,
    makeDir,
    remove,
    rename,
  }
}
