/** The calls of test/harness/determinism give the same transcript in a page as in Node. */
import { expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import { openEpisode } from '../../../harness/episode/episode.js'
import { loadDialect } from '../../../src/dialects/registry.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { transcript } from '../../harness/determinism/transcript.mjs'

declare module 'vitest/browser' {
  interface BrowserCommands {
    transcriptInNode: () => Promise<string[]>
  }
}

test('the same transcript as in Node', async () => {
  const { answers } = await transcript({ openEpisode, loadDialect, callTool, shell: emulatedShell() })
  expect(answers).toEqual(await commands.transcriptInNode())
})
