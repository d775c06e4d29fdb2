import { describe, expect, test } from 'vitest'
import { streamScripts } from './node-stream-scripts.js'
import { bothNodes, otherVersion } from './same-as-node.js'

describe.skipIf(otherVersion)('streams', () => {
  const { both } = bothNodes()
  for (const [name, main] of Object.entries(streamScripts)) {
    test(name, async () => {
      const { ours, theirs } = await both({ 'main.cjs': main }, ['main.cjs'])
      expect(ours).toEqual(theirs)
    })
  }
})
