/** What the panel Connect offers for desktop clients starts the program that docs/install.md names. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { desktopSnippets } from '../../../playground/connect/snippets.js'

test.each(desktopSnippets.map(({ title, text }) => [title, text]))(
  'the configuration for %s starts the command from a checkout, and fetches no package',
  async (_title, text) => {
    const byHand = /`claude mcp add files -- (node \S+) /.exec(await readFile('docs/install.md', 'utf8'))?.[1] ?? ''
    expect(byHand).toMatch(/cli\.js$/)
    const started = text.replace(/"command": "node",\s+"args": \[\s+"([^"]+)"/, 'node $1')
    expect(started).toContain(byHand)
    expect(text).not.toContain('npx')
  },
)
