import { expect, test } from 'vitest'
import { createJobs } from '../../../src/shell/jobs.js'
import { shellSession } from '../../../src/shell/session.js'
import type { ExecRequest, ExecResult, Shell } from '../../../src/shell/types.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (chunks: readonly { bytes: Uint8Array }[]) =>
  chunks.map((chunk) => new TextDecoder().decode(chunk.bytes)).join('')
const nothing = { bytes: bytes(''), cut: false }

/** A shell whose commands end on request. */
function puppet() {
  const running: Array<{ request: ExecRequest; end: (result?: Partial<ExecResult>) => void }> = []
  const shell: Shell = {
    kind: 'emulated',
    engine: 'a puppet',
    capabilities: {
      sharesFiles: true,
      confined: true,
      recordsChanges: true,
      background: false,
      signals: false,
      posix: true,
      separateStreams: true,
    },
    exec: (request) =>
      new Promise((resolve, reject) => {
        if (request.command === 'broken') return reject(new Error('broken'))
        const end = (result: Partial<ExecResult> = {}) =>
          resolve({ ended: 'exit', exitCode: 0, stdout: nothing, stderr: nothing, ...result })
        request.signal?.addEventListener('abort', () => end({ ended: 'aborted' }))
        running.push({ request, end })
      }),
    close: async () => {},
  }
  return { shell, running }
}

test('the number of running jobs is limited, and none start after close', async () => {
  const { shell, running } = puppet()
  const jobs = createJobs(shell, { maxRunning: 2 })
  const start = () => jobs.start({ command: 'c', cwd: '/' })
  start()
  const { id } = start()
  expect(start).toThrow('TOO_MANY_OPEN')
  await jobs.stop(id)
  start()
  await jobs.close()
  expect(running.every(({ request }) => request.signal?.aborted)).toBe(true)
  expect(start).toThrow('TOO_MANY_OPEN')
})

test('ended jobs are dropped, oldest first; running jobs never are', async () => {
  const { shell } = puppet()
  const jobs = createJobs(shell, { maxRetained: 2 })
  const [a, b] = [jobs.start({ command: 'a', cwd: '/' }), jobs.start({ command: 'b', cwd: '/' })]
  await jobs.stop(b.id)
  jobs.start({ command: 'c', cwd: '/' })
  expect(jobs.list().map(({ command }) => command)).toEqual(['a', 'c'])
  jobs.start({ command: 'd', cwd: '/' })
  expect(jobs.list().map(({ command }) => command)).toEqual(['a', 'c', 'd'])
  expect(jobs.poll(b.id)).toBeUndefined()
  expect(jobs.poll(a.id)?.job.state).toEqual({ name: 'running' })
})

test('a poll returns the output since the last one, and how much was dropped', () => {
  const { shell, running } = puppet()
  const jobs = createJobs(shell, { maxOutputBytes: 10 })
  const { id } = jobs.start({ command: 'c', cwd: '/' })
  const write = (chunk: string) => running[0]?.request.onOutput?.({ stream: 'stdout', bytes: bytes(chunk) })
  write('one')
  write('two')
  const look = () => {
    const news = jobs.poll(id)
    return [text(news?.output ?? []), news?.missedBytes]
  }
  expect(look()).toEqual(['onetwo', 0])
  expect(look()).toEqual(['', 0])
  write('12345')
  write('67890')
  write('abc')
  expect(look()).toEqual(['67890abc', 5])
  write('x'.repeat(25))
  expect(look()).toEqual(['x'.repeat(10), 15])
})

test('on a shell that reports output only at the end, so do its jobs', async () => {
  const { shell, running } = puppet()
  const jobs = createJobs(shell)
  const { id } = jobs.start({ command: 'c', cwd: '/' })
  running[0]?.end({ exitCode: 3, stdout: { bytes: bytes('out'), cut: false } })
  const news = await jobs.stop(id)
  expect([news?.job.state, text(news?.output ?? [])]).toEqual([{ name: 'ended', ended: 'exit', exitCode: 3 }, 'out'])
})

test('a job that cannot be started has failed', async () => {
  const jobs = createJobs(puppet().shell)
  const { id } = jobs.start({ command: 'broken', cwd: '/' })
  expect((await jobs.stop(id))?.job.state).toEqual({ name: 'failed', error: new Error('broken') })
})

test('a session whose command cannot be started returns to its initial state', async () => {
  const { shell, running } = puppet()
  const session = shellSession(shell, { cwd: '/start', env: { A: '1' } })
  const limits = { timeoutMs: 1000, maxStreamBytes: 1000 }
  const first = session.run({ command: 'cd', ...limits })
  await expect.poll(() => running.length).toBe(1)
  running[0]?.end({ left: { cwd: '/elsewhere', env: {} } })
  await first
  expect(session.state).toEqual({ cwd: '/elsewhere', env: {} })
  await expect(session.run({ command: 'broken', ...limits })).rejects.toThrow('broken')
  expect(session.state).toEqual({ cwd: '/start', env: { A: '1' } })
})
