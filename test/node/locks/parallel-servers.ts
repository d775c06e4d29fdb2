/** Servers that reach the same file by different roots, state directories and namespaces, and edit it at the same time. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

export interface Way {
  /** What the server is started on. */
  root: string
  /** The file that all edit, from there. */
  file: string
  state: string
  /** A command that the server is started by. */
  through?: readonly string[]
}

export interface Edits {
  acknowledged: number
  refused: string[]
  /** Acknowledged, and not in the file. */
  lost: number
}

const lines = 64

/** Every line is edited once in each round, by whichever server's turn it is; all at the same time. */
export async function editFromAll(directory: string, ways: readonly Way[], rounds: number): Promise<Edits> {
  const clients = await Promise.all(ways.map(connect))
  const sum: Edits = { acknowledged: 0, refused: [], lost: 0 }
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(
      join(directory, 'repo/pkg/lines.txt'),
      textOf(() => 'old'),
    )
    const replies = await Promise.all(
      Array.from({ length: lines }, async (_, line) => {
        const [client, { file }] = [clients[line % ways.length] as Client, ways[line % ways.length] as Way]
        const args = { path: file, old_string: `line-${line}-old`, new_string: `line-${line}-new` }
        const { isError, content } = await client.callTool({ name: 'edit_file', arguments: args })
        return isError ? JSON.stringify(content) : undefined
      }),
    )
    const now = readFileSync(join(directory, 'repo/pkg/lines.txt'), 'utf8')
    const made = replies.flatMap((refusal, line) => (refusal === undefined ? line : []))
    sum.acknowledged += made.length
    sum.refused.push(...replies.flatMap((refusal) => refusal ?? []))
    sum.lost += made.filter((line) => !now.includes(`line-${line}-new\n`)).length
  }
  return sum
}

function textOf(stateOf: (line: number) => string): string {
  return Array.from({ length: lines }, (_, line) => `line-${line}-${stateOf(line)}\n`).join('')
}

async function connect({ root, state, through = [] }: Way): Promise<Client> {
  const { command, args, env } = await cliCommand(['--dialect', 'clarvis', root], state)
  const [first = command, ...rest] = [...through, command, ...args]
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({ command: first, args: rest, env: { ...process.env, ...env } as Record<string, string> }),
  )
  onTestFinished(() => client.close())
  return client
}

/** A tree with a package in a repository, reached by the one, by the other, and by a link. */
export async function plantTree(): Promise<string> {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory, 'repo/pkg'), { recursive: true })
  mkdirSync(join(directory, 'elsewhere'))
  mkdirSync(join(directory, 'mounted'))
  symlinkSync(join(directory, 'repo/pkg'), join(directory, 'elsewhere/link'))
  for (const state of ['state-a', 'state-b']) mkdirSync(join(directory, state))
  return directory
}

/** Whether a command can be run by `unshare` with these options; a machine may forbid it. */
export function canUnshare(...options: string[]): boolean {
  return existsSync('/proc/self/ns') && spawnSync('unshare', [...options, 'true']).status === 0
}

/** What locks have left behind in a directory. */
export function leftIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /lock|\.tmp$/.test(name))
}
