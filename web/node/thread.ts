/**
 * The script of a thread that runs `node` on the browser's own engine, in the frame. It is two workers: one talks with the shell; the other has the
 * script, and sleeps on memory that both share while it waits. So the script itself has no port to anybody.
 */

import { packed } from '../../bash/programs/node/thread/packed-value.js'
import { prepareNode } from '../../bash/programs/node/thread/serve-node.js'
import type { FromRunner, ToRunner } from '../../bash/programs/node/wire.js'
import { maxAhead } from '../../bash/programs/node/wire.js'
import { answerMemory } from '../../bash/programs/threads/answer-memory.js'
import { sharedAnswers } from '../../bash/programs/threads/shared-answers.js'
import type { ToThread } from '../room/messages.js'

const runnerName = 'polyfs-node'

type FromScript = FromRunner | { kind: 'more' }
type ToScript = { kind: 'memory'; shared: SharedArrayBuffer } | Extract<ToRunner, { kind: 'run' }>

const scope = globalThis as unknown as DedicatedWorkerGlobalScope

if (scope.name === runnerName) runScripts()
else relay()

/** Has the script, and nothing else. */
function runScripts(): void {
  const post = scope.postMessage.bind(scope) as (message: FromScript) => void
  const { port1, port2 } = new MessageChannel()
  const wait = Atomics.wait.bind(Atomics)
  const sleeping = new Int32Array(new SharedArrayBuffer(4))
  const queue: Array<() => void> = []
  port1.onmessage = () => queue.shift()?.()
  const turn = port2.postMessage.bind(port2)
  const elapsed = performance.now.bind(performance)
  const later = scope.setTimeout.bind(scope)
  let run: ReturnType<typeof prepareNode> | undefined
  const listen = scope.addEventListener.bind(scope)

  listen('message', ({ data }: MessageEvent<ToScript>) => {
    if (data.kind === 'run') return run?.(data.begun)
    const answer = sharedAnswers(
      data.shared,
      (message) => post(message as FromScript),
      (error) => new Error(error),
    )
    run = prepareNode({
      post,
      ask: (name, given) => answer({ name, given }) as ReturnType<Parameters<typeof prepareNode>[0]['ask']>,
      soon(next) {
        queue.push(next)
        turn(null)
      },
      after: (ms, next) => void later(next, ms),
      rest() {
        for (;;) wait(sleeping, 0, 0)
      },
      elapsed,
      onRejection(listener) {
        listen('unhandledrejection', (event) => {
          event.preventDefault()
          listener(event.promise, event.reason)
        })
      },
      onHandled: (listener) => listen('rejectionhandled', ({ promise }) => listener(promise)),
    })
  })
}

/** Starts the other worker, and another one for each script. */
function relay(): void {
  let shell: MessagePort | undefined
  let ready: FromRunner | undefined
  let ahead = 0
  let asked = false
  let memory = answerMemory()
  let runner = started()

  function started(): Worker {
    memory = answerMemory()
    ready = undefined
    ahead = 0
    asked = false
    const made = new Worker(scope.location.href, { name: runnerName })
    made.onmessage = ({ data }: MessageEvent<FromScript>) => {
      if (made === runner) fromScript(data)
    }
    made.onerror = (event) => {
      event.preventDefault()
      if (made === runner) fromScript({ kind: 'failed', message: event.message })
    }
    made.postMessage({ kind: 'memory', shared: memory.shared as SharedArrayBuffer } satisfies ToScript)
    return made
  }

  function fromScript(message: FromScript): void {
    if (message.kind === 'more') return void memory.more()
    if (message.kind === 'ready') {
      if (ready !== undefined) return void fail('it starts again')
      ready = message
    }
    if (message.kind === 'ask') {
      // One that does not wait is no longer the library.
      if (asked) return void fail('it asks again before it has its answer')
      asked = true
      ahead = 0
    }
    if (message.kind === 'out') {
      ahead += message.data.length
      if (!(ahead <= 64 * maxAhead)) return void fail('it prints without waiting')
    }
    shell?.postMessage(message)
    if (message.kind === 'done' || message.kind === 'failed') renew()
  }

  function fail(message: string): void {
    shell?.postMessage({ kind: 'failed', message } satisfies FromRunner)
    renew()
  }

  function renew(): void {
    runner.terminate()
    shell = undefined
    runner = started()
  }

  scope.addEventListener('message', ({ data }: MessageEvent<ToThread<object>>) => {
    if (data.kind !== 'connect') return
    shell = data.port
    shell.onmessage = ({ data: message }: MessageEvent<ToRunner>) => {
      if (message.kind === 'run') return runner.postMessage(message)
      asked = false
      memory.give(packed(message.answer))
    }
    if (ready !== undefined) shell.postMessage(ready)
  })
}
