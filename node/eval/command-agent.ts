/** Any program as an agent: it gets the tools over MCP, and the instruction on its input. */
import { randomBytes } from 'node:crypto'
import { InfraError } from '../../harness/infra-error.js'
import type { EpisodeAgent } from '../../harness/types.js'
import { serveHttp } from '../serve/http.js'
import { markName, sweep } from '../shell/process-tree.js'
import { run } from '../shell/run-process.js'
import { shellCommand } from '../shell/shell-command.js'

export interface CommandAgentOptions {
  /** Default: `command:` and the command. */
  name?: string
  /** Where the program starts. Default: where this one did. */
  cwd?: string
  /** In addition to those of this process. */
  env?: Readonly<Record<string, string>>
}

/** The variable with the URL of the episode's MCP server. */
export const urlName = 'POLYFS_MCP_URL'

/** As long as a timer can be: the signal is what ends the program. */
const endlessMs = 2_000_000_000
const graceMs = 2000
const maxAnswerBytes = 1 << 20
const maxErrorCharacters = 500
/** A shell's way to say that a command does not exist or can't be run. */
const notStarted = [126, 127]

/**
 * Runs a command of the machine's shell: it gets `POLYFS_MCP_URL`, an MCP server over HTTP on the loopback with the tools of the episode,
 * and reads the instruction from its input. The last megabyte of what it prints is the answer. It is not confined.
 */
export function commandAgent(command: string, options: CommandAgentOptions = {}): EpisodeAgent {
  const { name = `command:${command}`, cwd = process.cwd(), env: more = {} } = options
  return {
    name,
    async run({ episode: { workspace, dialect }, instruction, signal }) {
      signal.throwIfAborted()
      const server = await serveHttp({ workspace, dialect })
      const mark = `${process.pid}.${randomBytes(8).toString('hex')}`
      const env = { ...inherited(), ...more, [urlName]: server.url, [markName]: mark }
      const printed = lastBytes(maxAnswerBytes)
      const complained = lastBytes(maxErrorCharacters)
      try {
        const {
          ended,
          exitCode,
          signal: killedBy,
        } = await run(
          {
            command,
            cwd,
            stdin: new TextEncoder().encode(instruction),
            timeoutMs: endlessMs,
            graceMs,
            maxStreamBytes: 0,
            onOutputLimit: 'report',
            signal,
            onOutput: ({ stream, bytes }) => (stream === 'stdout' ? printed : complained).add(bytes),
          },
          { argv: argvOf(command), cwd, mark, cover: { inherited: [], empty: [] }, env },
        )
        if (ended === 'aborted') signal.throwIfAborted()
        if (exitCode === 0) return { answer: withoutSecrets(printed.text().trim(), env) }
        const reason = `${command} ended with ${killedBy ?? `exit code ${exitCode}`}: ${complained.text().trim()}`
        const clean = withoutSecrets(reason, env)
        throw notStarted.includes(exitCode ?? 0) ? new InfraError(clean) : new Error(clean)
      } finally {
        // What the program left behind must not call tools any more.
        sweep(mark)
        await server.close()
      }
    },
  }
}

function argvOf(command: string): string[] {
  return process.platform === 'win32' ? [command] : shellCommand('sh', command)
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

/** Programs print their settings when they fail; keys must not get into traces. */
function withoutSecrets(text: string, env: Readonly<Record<string, string>>): string {
  let clean = text
  for (const [name, value] of Object.entries(env)) {
    if (value.length >= 8 && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name))
      clean = clean.replaceAll(value, '(secret)')
  }
  return clean
}

/** The end of a stream. */
function lastBytes(maxBytes: number): { add(bytes: Uint8Array): void; text(): string } {
  const chunks: Buffer[] = []
  let held = 0
  return {
    add(bytes) {
      chunks.push(Buffer.from(bytes))
      held += bytes.length
      while (chunks.length > 1 && held - (chunks[0]?.length ?? 0) >= maxBytes) held -= chunks.shift()?.length ?? 0
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString('utf8'),
  }
}
