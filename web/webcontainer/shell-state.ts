/**
 * Where a command leaves its shell in a container. A terminal has no channel beside its output, so the shell's last act is to let Node, which
 * every container has, write its directory and variables to a file; that is read through the container's own files, and removed.
 */
import { FsError } from '../../src/errors.js'
import { isWithin, join, relative } from '../../src/fs/path.js'
import { keptVariables } from '../../src/shell/session-variables.js'
import type { ExecResult, ShellState } from '../../src/shell/types.js'
import type { RunningContainer } from './api.js'

export interface StateReports {
  /** Runs a command so that its result says where it left the shell, where this shell has a way to tell. */
  reported(command: string, signal: AbortSignal | undefined, run: Run): Promise<ExecResult>
}

/** Runs a script to its end. */
export type Run = (script: string) => Promise<ExecResult>

/** A script that does what the command does, and then tells. */
type Way = (command: string, tell: string) => string

/**
 * What `jsh` can do is not written down, so the ways are tried, the best first. The first tells also at an `exit` and after `set -e`. The
 * others tell when the command comes to its own end; the last one takes an unfinished here-document with it.
 */
const ways: Way[] = [
  (command, tell) => `trap ${quoted(`{ set +x; } 2>/dev/null; ${tell}`)} EXIT\n${command}`,
  (command, tell) => `eval ${quoted(command)}\n${keepingStatus(tell)}`,
  (command, tell) => `${command}\n${keepingStatus(tell)}`,
]

/** A trial ends as this says, when the way works. */
const trialCode = 7
const trialVariable = 'POLYFS_TRIAL'
const trials = [`exit ${trialCode}`, `node -e "process.exit(${trialCode})"`, `node -e "process.exit(${trialCode})"`]

interface Found {
  way: Way
  /** Variables that every command has. */
  usual: Readonly<Record<string, string>>
}

/** `trial` runs a script in the working directory, with nothing but what every command gets. */
export function stateReports({ fs, workdir }: Pick<RunningContainer, 'fs' | 'workdir'>, trial: Run): StateReports {
  let found: Promise<Found | undefined> | undefined

  async function telling(way: Way, command: string, run: Run): Promise<{ result: ExecResult; told?: Told }> {
    const name = `.polyfs-state-${crypto.randomUUID()}`
    try {
      const result = await run(way(command, `${writeState} ${quoted(join(workdir, name))} >/dev/null 2>&1`))
      const told = result.ended === 'exit' ? await fs.readFile(name).then(parse, () => undefined) : undefined
      return { result, ...(told && { told }) }
    } finally {
      // Nothing was told: a shell that was ended from outside, or went another way.
      await fs.rm(name, { recursive: false }).catch(() => {})
    }
  }

  async function find(): Promise<Found | undefined> {
    for (const [index, way] of ways.entries()) {
      const { result, told } = await telling(way, `export ${trialVariable}=1\n${trials[index]}`, trial)
      const { [trialVariable]: variable, ...usual } = told?.env ?? {}
      const isClean = result.exitCode === trialCode && result.stdout.bytes.length === 0
      if (isClean && variable === '1') return { way, usual }
    }
    return undefined
  }

  function virtual(path: string): string | undefined {
    return isWithin(workdir, path) ? join('/', relative(workdir, path)) : undefined
  }

  return {
    async reported(command, signal, run) {
      found ??= find().catch((error) => {
        found = undefined
        throw error
      })
      const known = await unlessAborted(found, signal)
      if (known === undefined) return run(command)
      const { result, told } = await telling(known.way, command, run)
      if (told === undefined) return result
      const cwd = virtual(told.cwd)
      const left: ShellState = { env: keptVariables(told.env, known.usual), ...(cwd !== undefined && { cwd }) }
      return { ...result, left }
    },
  }
}

const writeState = `node -e 'require("fs").writeFileSync(process.argv[1],JSON.stringify({cwd:process.cwd(),env:process.env}))'`

function keepingStatus(tell: string): string {
  return `polyfs_status=$?\n${tell}\nexit $polyfs_status`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface Told {
  cwd: string
  env: Record<string, string>
}

/** Written by our own script, unless a command has a file of that name in mind. */
function parse(bytes: Uint8Array): Told | undefined {
  try {
    const { cwd, env } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Told>
    return typeof cwd === 'string' && typeof env === 'object' && env !== null ? { cwd, env } : undefined
  } catch {
    return undefined
  }
}

async function unlessAborted<Value>(pending: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return pending
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(new FsError('ABORTED', {}))
    if (signal.aborted) fail()
    signal.addEventListener('abort', fail, { once: true })
  })
  return Promise.race([pending, aborted])
}
