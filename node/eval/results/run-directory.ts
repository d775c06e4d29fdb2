/** The directory of a run: what was to be run, and every result as soon as there is one. Survives a kill at any moment. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { mkdir, readdir, readFile, truncate } from 'node:fs/promises'
import path from 'node:path'
import { isEpisodeResult } from '../../../harness/parse-result.js'
import { jobId } from '../../../harness/queue.js'
import { type EpisodeResult, isMissing, type RunSettings } from '../../../harness/run-types.js'
import { isRecord } from '../../../src/text/is-record.js'
import { holderName, lockName } from './hold-run.js'
import { RunDirectoryError } from './run-directory-error.js'
import { traceName } from './trace-name.js'
import { removeStaged, stagedFor, writeWhole } from './write-whole.js'

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

export const runFormat = 'polyfs-eval/1'

/** `run.json`. */
export interface RunFile {
  format: typeof runFormat
  /** Of polyfs. */
  version: string
  settings: RunSettings
  /** The ids of all tasks, those that are skipped too. */
  tasks: readonly string[]
  /** The agent's own name, as in the results. */
  agentName: string
  startedAt: string
}

export interface RunDirectory {
  readonly directory: string
  readonly file: RunFile
  /** What counts of the results that were there when it was opened. */
  readonly results: readonly EpisodeResult[]
  /** Writes the trace, then the result; when it returns, both are on the disk. */
  record(result: EpisodeResult): Promise<void>
  close(): void
}

/** What only runs write, one at a time. */
const ownFiles = ['run.json', 'summary.json', 'junit.xml', 'report.html', holderName]

/** The lock, and what a run leaves that was killed before it began. */
function isLeftover(name: string): boolean {
  return name === 'traces' || name === holderName || name.startsWith(lockName) || stagedFor(name) !== undefined
}

/** Fails when the directory has something in it. For whoever holds it, see `holdingRun`. */
export async function createRunDirectory(directory: string, file: RunFile): Promise<RunDirectory> {
  mkdirSync(directory, { recursive: true })
  const found = await readdir(directory)
  if (found.includes('run.json')) {
    throw new RunDirectoryError(
      `${directory} has a run already; add --resume to go on with it, or name another directory with --out`,
    )
  }
  if (!found.every(isLeftover))
    throw new RunDirectoryError(`${directory} is not empty; name another directory with --out`)
  await openTraces(directory)
  // Last, and in one step: a directory with run.json can be resumed.
  await writeWhole(path.join(directory, 'run.json'), `${JSON.stringify(file, null, 2)}\n`)
  return recording(directory, file, [])
}

/** False for a run that was killed before it began. */
export function hasRun(directory: string): boolean {
  return existsSync(path.join(directory, 'run.json'))
}

/** Opens a run to add to it, for whoever holds it. A line that a kill left incomplete is removed. */
export async function resumeRunDirectory(directory: string): Promise<RunDirectory> {
  const file = readRunFile(directory)
  const results = path.join(directory, 'results.jsonl')
  const bytes = isFile(results) ? await readFile(results) : Buffer.alloc(0)
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) await truncate(results, whole)
  await openTraces(directory)
  return recording(directory, file, countedResults(parseResults(bytes.toString(), results)))
}

/** Reads a run without changing it. */
export function readRun(
  directory: string,
  name = 'results.jsonl',
): { directory: string; file: RunFile; results: EpisodeResult[] } {
  const file = readRunFile(directory)
  const results = path.join(directory, name)
  const text = isFile(results) ? readFileSync(results, 'utf8') : ''
  return { directory, file, results: countedResults(parseResults(text, results)) }
}

/** The text of a trace; `undefined` when there is none. */
export async function readTrace(
  directory: string,
  job: Pick<EpisodeResult, 'task' | 'agent' | 'trial'>,
): Promise<string | undefined> {
  const file = path.join(directory, 'traces', traceName(job))
  return isFile(file) ? readFile(file, 'utf8') : undefined
}

/** False where there is nothing. Fails for a link, which could lead to any file of the user's, and for a FIFO, which would be waited for. */
function isFile(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return found !== undefined
  throw new RunDirectoryError(`${file} is a link or no file; remove it, or name another directory`)
}

async function openTraces(directory: string): Promise<void> {
  const traces = path.join(directory, 'traces')
  await mkdir(traces).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    if (lstatSync(traces).isDirectory()) return
    throw new RunDirectoryError(`${traces} is a link or no directory; remove it, or name another directory`)
  })
  await removeStaged(directory, (name) => ownFiles.includes(name))
  await removeStaged(traces, () => true)
}

/** One line of `results.jsonl`. */
export function resultLine({ trace: _, ...result }: EpisodeResult): string {
  return `${JSON.stringify(result)}\n`
}

function recording(directory: string, file: RunFile, results: readonly EpisodeResult[]): RunDirectory {
  const log = openSync(path.join(directory, 'results.jsonl'), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o666)
  return {
    directory,
    file,
    results,
    async record(result) {
      if (result.trace !== undefined) {
        await writeWhole(path.join(directory, 'traces', traceName(result)), result.trace)
      }
      // One write to a file opened for appending: lines of two processes do not mix.
      writeSync(log, resultLine(result))
      fsyncSync(log)
    },
    close: () => closeSync(log),
  }
}

function readRunFile(directory: string): RunFile {
  const name = path.join(directory, 'run.json')
  if (!isFile(name)) throw new RunDirectoryError(`${directory} is not the directory of a run: it has no run.json`)
  const file = parseJson(readFileSync(name, 'utf8'))
  if (!isRunFile(file)) {
    throw new RunDirectoryError(`${name} is not of the format ${runFormat}; it may be from another version of polyfs`)
  }
  return file
}

function isRunFile(file: unknown): file is RunFile {
  if (!isRecord(file) || file.format !== runFormat) return false
  const { settings, tasks, agentName, version, startedAt } = file
  if (!isRecord(settings)) return false
  const { suites, agent, model = '', trials, seed } = settings
  return (
    isTexts(tasks) &&
    isTexts(suites) &&
    [agentName, version, startedAt, agent, model].every((text) => typeof text === 'string') &&
    [trials, seed].every(Number.isSafeInteger)
  )
}

/** Ignores an incomplete last line; any other line that is not a result is an error. */
function parseResults(text: string, name: string): EpisodeResult[] {
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line, index) => {
    const result = parseJson(line)
    if (isEpisodeResult(result)) return result
    throw new RunDirectoryError(`${name}:${index + 1}: not a result; remove the line to have the episode run again`)
  })
}

/** One for each job: the first that says something, because only what is missing is run again. */
function countedResults(results: readonly EpisodeResult[]): EpisodeResult[] {
  const counted = new Map<string, EpisodeResult>()
  for (const result of results) {
    const id = jobId(result)
    const earlier = counted.get(id)
    if (earlier === undefined || isMissing(earlier)) counted.set(id, result)
  }
  return [...counted.values()]
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
