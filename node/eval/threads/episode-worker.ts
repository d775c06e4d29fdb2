/** A thread that runs episodes: loads the tasks and the agent for itself. */
import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { reasonOf } from '../../../harness/infra-error.js'
import type { EpisodeJob } from '../../../harness/run-types.js'
import { openRunner } from '../runner.js'
import type { EpisodeAnswer, EpisodeWorkerSetup, FromEpisodeWorker, ToEpisodeWorker } from './episode-messages.js'

// The main thread wrote it.
const { settings, options } = workerData as EpisodeWorkerSetup
const stop = new AbortController()
setMaxListeners(0, stop.signal)
const opening = openRunner(settings, options)
// Reported with the first job.
opening.catch(() => {})

// An agent that forgets to handle an error must not end the episodes of others.
process.on('uncaughtException', reportStray)
process.on('unhandledRejection', reportStray)

parentPort?.on('message', (message: ToEpisodeWorker) => {
  if (message.kind === 'stop') stop.abort(new Error('stopped'))
  else void answer(message.id, message.job)
})

async function answer(id: number, job: EpisodeJob): Promise<void> {
  const said = await run(id, job)
  parentPort?.postMessage(said)
}

function reportStray(error: unknown): void {
  parentPort?.postMessage({ stray: reasonOf(error) } satisfies FromEpisodeWorker)
}

async function run(id: number, job: EpisodeJob): Promise<EpisodeAnswer> {
  try {
    const runner = await opening
    return { id, result: await runner.run(job, stop.signal) }
  } catch (error) {
    return { id, failed: reasonOf(error) }
  }
}
