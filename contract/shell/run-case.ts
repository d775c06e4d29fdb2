/** Runs one case on one target. */
import { isFsError } from '../../src/errors.js'
import { join } from '../../src/fs/path.js'
import type { Bytes } from '../../src/fs/types.js'
import { createJobs, type Job, type Jobs } from '../../src/shell/jobs.js'
import { type ShellSession, shellSession } from '../../src/shell/session.js'
import type { ExecResult, Output } from '../../src/shell/types.js'
import { describeBytes, describeContent, isContent, toBytes } from '../fs/content.js'
import { clear, differences, plant } from '../fs/tree.js'
import type { AwaitFile, AwaitJob, Expected, ExpectedOutput, Run, ShellCase, ShellStep, ShellTarget } from './types.js'

/** Builds the tree, runs the steps, compares the tree, cleans up. Throws an error that says what was expected and what happened. */
export async function runShellCase(target: ShellTarget, shellCase: ShellCase): Promise<void> {
  const { shell, fs, base } = target
  const ground = { base, root: '/' }
  const stage: Stage = {
    ...target,
    jobs: createJobs(shell),
    started: new Map(),
    session: shellSession(shell, { cwd: base }),
  }
  try {
    await plant(fs, ground, shellCase.tree ?? {})
    for (const step of shellCase.steps) await takeStep(stage, step)
    const lines = shellCase.after === undefined ? [] : await differences(fs, ground, shellCase.after)
    if (lines.length > 0) throw new Error(`the tree afterwards:\n  ${lines.slice(0, 20).join('\n  ')}`)
  } finally {
    await stage.jobs.close()
    // Something that a command left running may still write.
    await clear(fs, base).catch((error: unknown) => {
      if (!isFsError(error, 'NOT_EMPTY')) throw error
    })
  }
}

interface Stage extends ShellTarget {
  jobs: Jobs
  session: ShellSession
  started: Map<string, Started>
}

interface Started {
  job: Job
  output: string
}

/** Long enough for a loaded machine; the wait ends as soon as the condition holds. */
const patienceMs = 60_000

async function takeStep(stage: Stage, step: ShellStep): Promise<void> {
  if ('run' in step) return takeRun(stage, step)
  if ('start' in step) {
    const { start: command, job: name, env } = step
    const job = stage.jobs.start({ command, cwd: stage.base, ...(env && { env }) })
    stage.started.set(name, { job, output: '' })
    return
  }
  if ('until' in step) return awaitJob(stage, step)
  if ('stop' in step) {
    await stage.jobs.stop(startedAs(stage, step.stop).job.id)
    return
  }
  if ('jobs' in step) {
    const states = stage.jobs.list().map(({ state }) => (state.name === 'running' ? 'running' : 'over'))
    if (states.join() !== step.jobs.join()) throw mismatch('the jobs', step.jobs.join(), states.join())
    return
  }
  return awaitFile(stage, step)
}

async function takeRun({ shell, fs, base, session }: Stage, step: Run): Promise<void> {
  const abort = new AbortController()
  let streamed = ''
  const request = {
    command: step.run,
    timeoutMs: step.timeoutMs ?? patienceMs,
    maxStreamBytes: step.maxStreamBytes ?? 1024 * 1024,
    signal: abort.signal,
    onOutput: ({ bytes }: { bytes: Bytes }) => {
      streamed += new TextDecoder().decode(bytes)
      if (step.abortAfter !== undefined && streamed.includes(step.abortAfter)) abort.abort()
    },
    ...(step.mergeStreams && { mergeStreams: true }),
    ...(step.graceMs !== undefined && { graceMs: step.graceMs }),
    ...(step.onOutputLimit && { onOutputLimit: step.onOutputLimit }),
    ...(step.stdin !== undefined && { stdin: toBytes(step.stdin) }),
  }
  const cwd = step.cwd === undefined ? base : join(base, step.cwd)
  const running = step.session
    ? session.run(request)
    : shell.exec({ ...request, cwd, ...(step.env && { env: step.env }) })
  let over = false
  const end = running.finally(() => {
    over = true
  })
  if (step.abortWhen !== undefined) {
    const file = join(base, step.abortWhen)
    while (!over && !(await exists(fs, file))) await pause()
    abort.abort()
  }
  judge(step, await end, streamed)
}

function judge(step: Run & Expected, result: ExecResult, streamed: string): void {
  const label = JSON.stringify(step.run)
  const bothOutputs = ` (stdout ${describeBytes(result.stdout.bytes)}, stderr ${describeBytes(result.stderr.bytes)})`
  const { ended = 'exit', exitCode = ended === 'exit' && step.signal === undefined ? 0 : 'any' } = step
  if (result.ended !== ended) throw mismatch(`${label} ended`, ended, result.ended + bothOutputs)
  const codeFits =
    exitCode === 'any' ||
    (exitCode === 'not zero' ? result.exitCode !== 0 && result.exitCode !== undefined : result.exitCode === exitCode)
  if (!codeFits) throw mismatch(`${label} exit code`, exitCode, (result.exitCode ?? 'none') + bothOutputs)
  if (step.signal !== undefined && result.signal !== step.signal) {
    throw mismatch(`${label} signal`, step.signal, result.signal ?? 'none')
  }
  judgeOutput(`${label} stdout`, step.stdout, result.stdout)
  judgeOutput(`${label} stderr`, step.stderr, result.stderr)
  if (step.streamed !== undefined && !streamed.includes(step.streamed)) {
    throw mismatch(`${label} streamed`, step.streamed, JSON.stringify(streamed))
  }
}

function judgeOutput(label: string, expected: ExpectedOutput | undefined, { bytes, cut }: Output): void {
  if (expected === undefined) return
  const isCut = typeof expected === 'object' && 'cutAt' in expected
  if (cut !== isCut) throw mismatch(label, isCut ? 'cut' : 'whole', cut ? 'cut' : 'whole')
  if (isCut) {
    if (bytes.length !== expected.cutAt) throw mismatch(label, `${expected.cutAt} bytes`, bytes.length)
    return
  }
  const text = new TextDecoder().decode(bytes)
  if (typeof expected === 'object' && 'contains' in expected) {
    if (!text.includes(expected.contains)) throw mismatch(label, `… ${expected.contains} …`, describeBytes(bytes))
  } else if (typeof expected === 'object' && 'lines' in expected) {
    const lines = text.replace(/\n$/, '').split('\n').sort().join('\n')
    const wanted = [...expected.lines].sort().join('\n')
    if (lines !== wanted) throw mismatch(label, wanted, lines)
  } else if (!isContent(bytes, expected)) throw mismatch(label, describeContent(expected), describeBytes(bytes))
}

async function awaitJob(stage: Stage, { job: name, until }: AwaitJob): Promise<void> {
  const started = startedAs(stage, name)
  await waitFor(
    () => {
      const news = stage.jobs.poll(started.job.id)
      if (news === undefined) throw new Error(`the job ${name} is not known`)
      for (const { bytes } of news.output) started.output += new TextDecoder().decode(bytes)
      if ('output' in until) return started.output.includes(until.output)
      const { state } = news.job
      if (state.name === 'ended' && state.exitCode !== until.exitCode) {
        throw mismatch(`the job ${name} exit code`, until.exitCode, state.exitCode ?? 'none')
      }
      return state.name !== 'running'
    },
    `${JSON.stringify(until)} of the job ${name}, which wrote ${JSON.stringify(started.output)}`,
  )
}

async function awaitFile({ fs, base }: Stage, { file, content }: AwaitFile): Promise<void> {
  await waitFor(async () => {
    try {
      const bytes = await fs.readFile(join(base, file))
      return content !== 'absent' && isContent(bytes, content)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
      return content === 'absent'
    }
  }, `the file ${file}`)
}

function startedAs({ started }: Stage, name: string): Started {
  const found = started.get(name)
  if (found === undefined) throw new Error(`no job was started as ${name}`)
  return found
}

async function exists(fs: ShellTarget['fs'], path: string): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return false
    throw error
  }
}

async function waitFor(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await pause()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}

function mismatch(label: string, expected: string | number, actual: string | number): Error {
  return new Error(`${label}: expected ${expected}, got ${actual}`)
}
