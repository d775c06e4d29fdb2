/** What every file system must do with paths of a thousand names: everything, in a time that grows with their length and not with its square. */
import { describe, expect, test } from 'vitest'
import { polyfs } from '../src/dialects/polyfs/tools.js'
import { tools } from '../src/dialects/tool-definitions.js'
import type { FileSystem } from '../src/fs/types.js'
import { createWorkspace } from '../src/workspace/create-workspace.js'
import { timedAsync } from './core/processor-time.js'
import { isFull } from './scale.js'

const [shallow, deep] = isFull ? [250, 1000] : [150, 600]
/** In less time a ratio tells nothing. */
const leastMs = 15
/** How often a row of calls is made that seems slow: other threads of the process count too. */
const rounds = 3

type Call = [name: string, args: Record<string, unknown>]

/** One after the other, each with what the ones before it left. */
function callsAt(depth: number): Call[] {
  const directory = Array(depth).fill('d').join('/')
  const file = `${directory}/f`
  return [
    ['write_file', { path: file, content: 'one\n' }],
    ['write_file', { path: file, content: 'two\n' }],
    ['edit_file', { path: file, edits: [{ old_text: 'two', new_text: 'three' }] }],
    ['read_file', { path: file }],
    ['file_info', { path: file }],
    ['list_dir', { path: directory }],
    ['glob', { pattern: '**/f' }],
    ['grep', { pattern: 'three' }],
    ['grep', { pattern: 'three', path: directory }],
    ['make_dir', { path: `${directory}/x/y` }],
    ['move', { from: file, to: '/up' }],
    ['move', { from: '/up', to: `${directory}/x/g` }],
    ['copy', { from: `${directory}/x/g`, to: file }],
    ['copy', { from: '/d', to: '/e' }],
    ['history', { action: 'list', path: file }],
    ['history', { action: 'undo' }],
    ['copy', { from: '/d', to: '/e' }],
    ['move', { from: '/e', to: '/k' }],
    ['delete', { path: '/k', recursive: true }],
    ['history', { action: 'undo' }],
  ]
}

/** Four times as deep takes four times as long, sixteen times with the square of it, and 64 times with its cube. */
export function describeDeepPaths(
  name: string,
  makeFs: () => FileSystem | Promise<FileSystem>,
  { mostRatio = 9 } = {},
): void {
  describe(`paths of many names on ${name}`, { timeout: 120_000 }, () => {
    test('take each tool four times as long where they are four times as deep', async () => {
      const cost = (depth: number) => everyCall(makeFs, depth, processorMs)
      await cost(20)
      let slow: string[] = []
      let [near, far]: [number[], number[]] = [[], []]
      for (let round = 0; round === 0 || (slow.length > 0 && round < rounds); round += 1) {
        near = least(near, await cost(shallow))
        far = least(far, await cost(deep))
        slow = slower(near, far, (ms) => mostRatio * Math.max(ms, leastMs))
      }
      expect(slow).toEqual([])
    })
  })
}

/** The calls that cost more in the deep tree than `limit` allows for what they cost in the other. */
export function slower(near: readonly number[], far: readonly number[], limit: (cost: number) => number): string[] {
  return callsAt(1).flatMap(([name], at) => {
    const [one = 0, other = 0] = [near[at], far[at]]
    return other > limit(one) ? [`${at} ${name}: ${one}, then ${other}`] : []
  })
}

/** What each of the calls costs, in a tree of its own. */
export async function everyCall(
  makeFs: () => FileSystem | Promise<FileSystem>,
  depth: number,
  cost: (run: () => Promise<void>) => Promise<number>,
): Promise<number[]> {
  const set = tools(createWorkspace({ fs: await makeFs() }), { dialect: polyfs })
  const costs: number[] = []
  for (const [name, args] of callsAt(depth)) {
    const run = async () => {
      const { isError, content } = await set.call(name, args)
      if (isError) throw new Error(`${name}: ${JSON.stringify(content).slice(-300)}`)
    }
    costs.push(await cost(run))
  }
  return costs
}

/** Once: what changes the files can't be repeated. */
function processorMs(run: () => Promise<void>): Promise<number> {
  return timedAsync(Infinity, run)
}

function least(some: readonly number[], others: readonly number[]): number[] {
  return others.map((other, at) => Math.min(other, some[at] ?? Infinity))
}
