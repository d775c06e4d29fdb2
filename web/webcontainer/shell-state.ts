/**
 * Reports the directory and variables a command leaves its shell in, in a container. A terminal has no channel besides
 * its output, so at the end of the command Node, which every container has, writes the state to a file. That file is
 * read through the container's file system and removed.
 */
import { FsError } from '../../src/errors.js'
import { isWithin, join, relative } from '../../src/fs/path.js'
import { sessionVariables } from '../../src/shell/session-variables.js'
import type { ExecResult, ShellState } from '../../src/shell/types.js'
import { shellQuoted } from '../../src/text/shell-quoted.js'
import type { RunningContainer } from './api.js'

export interface StateReports {
  /** Runs a command whose result includes the state of the shell, where this shell can report it. */
  reported(command: string, signal: AbortSignal | undefined, run: Run): Promise<ExecResult>
}

/** Runs a script to its end. */
export type Run = (script: string) => Promise<ExecResult>

/** Builds a script that runs the command and then reports. */
type Technique = (command: string, report: string) => string

/**
 * What `jsh` supports is not documented, so the techniques are tried, best first. The first also works after `exit` and
 * `set -e`. The others work when the command reaches its end; the last fails on an unfinished here-document.
 */
const techniques: Technique[] = [
  (command, report) => `trap ${shellQuoted(`{ set +x; } 2>/dev/null; ${report}`)} EXIT\n${command}`,
  (command, report) => `eval ${shellQuoted(command)}\n${preservingStatus(report)}`,
  (command, report) => `${command}\n${preservingStatus(report)}`,
]

/** The exit code of a probe that worked. */
const probeCode = 7
const probeVariable = 'POLYFS_TRIAL'
const probes = [`exit ${probeCode}`, `node -e "process.exit(${probeCode})"`, `node -e "process.exit(${probeCode})"`]

interface Found {
  technique: Technique
  /** Variables that every command has anyway. */
  defaultVariables: Readonly<Record<string, string>>
}

/** `probe` runs a script in the working directory, with the default environment. */
export function stateReports({ fs, workdir }: Pick<RunningContainer, 'fs' | 'workdir'>, probe: Run): StateReports {
  let found: Promise<Found | undefined> | undefined

  async function runReporting(
    technique: Technique,
    command: string,
    run: Run,
  ): Promise<{ result: ExecResult; reported?: ReportedState }> {
    const name = `.polyfs-state-${crypto.randomUUID()}`
    try {
      const result = await run(technique(command, `${writeState} ${shellQuoted(join(workdir, name))} >/dev/null 2>&1`))
      const reported = result.ended === 'exit' ? await fs.readFile(name).then(parse, () => undefined) : undefined
      return { result, ...(reported && { reported }) }
    } finally {
      // Missing when the shell was ended from outside or did not reach the report.
      await fs.rm(name, { recursive: false }).catch(() => {})
    }
  }

  async function find(): Promise<Found | undefined> {
    for (const [index, technique] of techniques.entries()) {
      const { result, reported } = await runReporting(technique, `export ${probeVariable}=1\n${probes[index]}`, probe)
      const { [probeVariable]: variable, ...defaultVariables } = reported?.env ?? {}
      const isClean = result.exitCode === probeCode && result.stdout.bytes.length === 0
      if (isClean && variable === '1') return { technique, defaultVariables }
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
      const { result, reported } = await runReporting(known.technique, command, run)
      if (reported === undefined) return result
      const cwd = virtual(reported.cwd)
      const left: ShellState = {
        env: sessionVariables(reported.env, known.defaultVariables),
        ...(cwd !== undefined && { cwd }),
      }
      return { ...result, left }
    },
  }
}

const writeState = `node -e 'require("fs").writeFileSync(process.argv[1],JSON.stringify({cwd:process.cwd(),env:process.env}))'`

function preservingStatus(report: string): string {
  return `polyfs_status=$?\n${report}\nexit $polyfs_status`
}

interface ReportedState {
  cwd: string
  env: Record<string, string>
}

/** Written by our own script, unless a command wrote a file of that name. */
function parse(bytes: Uint8Array): ReportedState | undefined {
  try {
    const { cwd, env } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<ReportedState>
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
