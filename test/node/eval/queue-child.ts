/** A process of its own that works on a queue, to be killed or stopped: `worker URL KILL_AT` or `runner URL RUN TASKS`. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bullmqQueue } from '../../../node/eval/bullmq-queue.js'
import { jobOf, lostAfterMs, resultOf, settingsOf } from './queue-jobs.js'

const [role, url = '', ...rest] = process.argv.slice(2)
if (role === 'worker') await work(Number(rest[0]))
else await run(rest[0] ?? '', Number(rest[1]))

/** Takes jobs and completes them. Kills itself with a message to Redis: right before it is sent, or right after. */
async function work(killAt: number): Promise<void> {
  const queue = await bullmqQueue({ url, lostAfterMs })
  let messages = 0
  const write = net.Socket.prototype.write
  net.Socket.prototype.write = function (this: net.Socket, ...args: Parameters<typeof write>) {
    messages += 1
    if (messages === killAt && killAt % 2 === 1) process.kill(process.pid, 'SIGKILL')
    const result = Reflect.apply(write, this, args)
    // The system has the bytes when `write` returns.
    if (messages === killAt) process.kill(process.pid, 'SIGKILL')
    return result
  } as typeof write
  for (;;) {
    const taken = await queue.take()
    if (taken === undefined) return
    console.log(`took ${taken.job.task}`)
    await sleep(taken.job.task === 'deadly' ? 60_000 : 20)
    const isFirst = await queue.complete(taken, resultOf(taken.job))
    console.log(`${isFirst ? 'completed' : 'came late with'} ${taken.job.task}`)
  }
}

/** Adds jobs and says which results come. */
async function run(name: string, tasks: number): Promise<void> {
  const queue = await bullmqQueue({ url, settings: settingsOf(name) })
  await queue.add(Array.from({ length: tasks }, (_, index) => jobOf(name, `task-${index}`)))
  console.log('added')
  for await (const { task } of queue.results()) console.log(`result ${task}`)
  await queue.close()
}
