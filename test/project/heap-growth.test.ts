import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { heapAfterCollection, heapGrowth, tellingHeap } from '../heap-growth.mjs'

/** Answers every line, and keeps something for each. */
const server = (kept: string) => `
  const all = []
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    ${kept}
    console.log(line)
  })
  console.log('ready')`

test.each([
  ['that keeps 12 kB for each call leaks', 'all.push(Array(1500).fill(all.length))', true],
  ['that only makes garbage does not', 'Array(5000).fill(all.length)', false],
])('a server %s', async (_name, kept, isLeak) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'heap-'))
  const file = path.join(directory, 'heap')
  const env = { ...process.env, POLYFS_HEAP_FILE: file }
  const child = spawn(process.execPath, [...tellingHeap, '-e', server(kept)], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    await lines.next()
    const samples = []
    for (let calls = 0; calls <= 800; calls += 100) {
      for (let call = 0; call < 100 && calls > 0; call += 1) {
        child.stdin.write('x\n')
        await lines.next()
      }
      samples.push({ calls, heapBytes: await heapAfterCollection(child, file) })
    }
    expect(heapGrowth(samples).isLeak).toBe(isLeak)
  } finally {
    child.stdin.end()
    await once(child, 'close')
    fs.rmSync(directory, { recursive: true, force: true })
  }
})
