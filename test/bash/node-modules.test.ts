import { describe, expect, test } from 'vitest'
import { moduleCases } from './node-module-cases.js'
import { bothNodes, otherVersion } from './same-as-node.js'

describe('node of the emulated shell finds modules as Node does', () => {
  const nodes = bothNodes()

  test.for(Object.entries(moduleCases))('%s', async ([, tree], { skip }) => {
    if (otherVersion !== undefined) skip(otherVersion)
    const { ours, theirs } = await nodes.both(tree, [Object.keys(tree)[0] as string])
    expect({ ...ours, stderr: '' }).toEqual({ ...theirs, stderr: '' })
    expect(theirs.stdout).not.toBe('')
  })

  test('a package.json is read within bounds, because it is parsed outside the engine', async () => {
    const tree = { 'main.js': 'require("deep")', 'node_modules/deep/package.json': '['.repeat(100_000) }
    const { ours } = await nodes.both(tree, ['main.js'])
    expect(ours.stderr).toMatch(/Error parsing .*deep\/package\.json: it is nested deeper than 64 levels/)
  })
})
