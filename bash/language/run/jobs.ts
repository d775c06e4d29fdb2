/** Jobs in the background. */
import { readerOf } from '../../io/streams.js'
import { signalName } from '../builtins/signals.js'
import type { Statement } from '../syntax/ast.js'
import { printStatement } from './print-command.js'
import { OpenFile } from './state/descriptors.js'
import { KilledJump } from './state/jumps.js'
import type { Job, Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'
import { refuseTooMany, startBeside } from './subshell.js'

export function startJob(shell: Shell, statement: Statement, run: (child: Shell) => Steps<number>): Job {
  refuseTooMany(shell)
  const child = shell.fork()
  child.ignoring = 0
  child.fate = { outer: shell.fate }
  child.descriptors.set(0, new OpenFile({ reader: readerOf(new Uint8Array()) }))
  let kill: (signal: number) => void = () => {}
  const killed = new Promise<number>((_resolve, reject) => {
    kill = (signal) => {
      if (child.fate.killed !== undefined) return
      const event = `SIG${signalName(signal)}`
      const trap = signal === 9 ? undefined : child.traps.get(event)
      // As in bash, a trap runs when the command that is running has ended.
      if (trap !== undefined) {
        if (trap !== '') child.pendingTraps.push(event)
        return
      }
      child.fate.killed = signal
      reject(new KilledJump(signal))
    }
  })
  killed.catch(() => {})
  const job: Job = {
    number: Math.max(0, ...shell.jobs.map(({ number }) => number)) + 1,
    pid: child.pid,
    text: printStatement(statement),
    status: undefined,
    ended: Promise.resolve(0),
    kill: (signal) => kill(signal),
    reported: false,
  }
  const ended = startBeside(child, () => run(child))
  job.ended = Promise.race([ended, killed]).then(
    (status) => {
      job.status = status
      return status
    },
    (error) => {
      if (!(error instanceof KilledJump)) throw error
      child.end()
      job.status = 128 + error.signal
      return job.status
    },
  )
  job.ended.catch(() => {})
  // A killed job may hang in a program that waits for time; the script does not wait for that.
  shell.session.background.delete(ended)
  shell.session.background.add(job.ended)
  void job.ended.then(
    () => shell.session.background.delete(job.ended),
    () => {},
  )
  shell.jobs.push(job)
  shell.lastBackground = job.pid
  return job
}
