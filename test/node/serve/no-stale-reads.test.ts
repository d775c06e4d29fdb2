/** Two servers on one directory, each with caches of its own: what one has acknowledged, the other sees in whatever it does next. */
import fs from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { scaled, seeded } from '../../scale.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

const rounds = scaled(600)

test('a read that begins after a write was acknowledged elsewhere sees it', { timeout: 120_000 }, async () => {
  const directory = await temporaryDirectory()
  const root = path.join(directory, 'root')
  fs.mkdirSync(root)
  const state = path.join(directory, 'state')
  const servers = [await connect(root, state), await connect(root, state)]
  const random = seededRandom(seeded(7))
  const below = (count: number) => Math.floor(random() * count)
  const files = new Map<string, string>()
  const ask = async (server: Client | undefined, name: string, args: Record<string, unknown>) => {
    const answer = await server?.callTool({ name, arguments: args })
    return { text: JSON.stringify(answer?.content), failed: answer?.isError === true }
  }
  for (let round = 0; round < rounds; round += 1) {
    const writer = below(2)
    const [by, other] = [servers[writer], servers[1 - writer]]
    const file = `d${below(3)}/f${below(4)}.txt`
    const kind = below(4)
    // Often of the same length, and within one tick of a clock.
    const content = `word${1000 + round}\n`
    if (kind === 0 && files.has(file)) {
      expect(await ask(by, 'delete', { path: file })).toMatchObject({ failed: false })
      files.delete(file)
    } else if (kind === 1 && files.has(file)) {
      const to = `d${below(3)}/moved${round}.txt`
      expect(await ask(by, 'move', { from: file, to })).toMatchObject({ failed: false })
      files.set(to, files.get(file) ?? '')
      files.delete(file)
    } else if (kind === 2) {
      // Past both servers, as by an editor.
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      fs.writeFileSync(path.join(root, file), content)
      files.set(file, content)
    } else {
      expect(await ask(by, 'write_file', { path: file, content })).toMatchObject({ failed: false })
      files.set(file, content)
    }
    const known = files.get(file)
    const read = await ask(other, 'read_file', { path: file })
    if (known === undefined) expect(read).toMatchObject({ failed: true, text: expect.stringContaining('not_found') })
    else expect(read.text).toContain(known.trim())
    const listed = await ask(other, 'glob', { pattern: '**/*.txt' })
    for (const name of files.keys()) expect(listed.text).toContain(name)
    expect(listed.text.includes(file)).toBe(known !== undefined)
    const found = await ask(other, 'grep', { pattern: known?.trim() ?? 'no such word' })
    expect(found.text.includes(file)).toBe(known !== undefined)
  }
})

async function connect(root: string, state: string): Promise<Client> {
  const { command, args, env } = await cliCommand([root], state)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({ command, args, env: { ...process.env, ...env } as Record<string, string> }),
  )
  onTestFinished(() => client.close())
  return client
}
