/** The calls of test/core/harness/determinism give the same transcript in a page as in Node. */
import { expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import { loadDialect } from '../../../src/dialects/registry.js'
import { openEpisode } from '../../../src/harness/episode/episode.js'
import { callTool } from '../../../src/tools/dialect.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { transcript } from '../../core/harness/determinism/transcript.mjs'

declare module 'vitest/browser' {
  interface BrowserCommands {
    transcriptInNode: () => Promise<string[]>
  }
}

test('the same transcript as in Node', async () => {
  const { answers } = await transcript({ openEpisode, loadDialect, callTool, shell: emulatedShell() })
  expect(answers).toEqual(await commands.transcriptInNode())
})
