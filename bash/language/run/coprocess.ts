/** `coproc`: a command in the background, with pipes to and from it. */
import { pipe } from '../../io/streams.js'
import { assignList, assignText, namePattern, unsetVariable } from '../expand/variable-access.js'
import type { Coprocess, Pipeline } from '../syntax/ast.js'
import { startJob } from './jobs.js'
import { OpenFile } from './state/descriptors.js'
import { CommandFailure } from './state/jumps.js'
import type { Shell } from './state/shell.js'

/** Where bash puts the two ends. */
const [readEnd, writeEnd] = [63, 60]

export function startCoprocess(shell: Shell, { name = 'COPROC', body, line }: Coprocess): number {
  if (!namePattern.test(name)) throw new CommandFailure(`\`${name}': not a valid identifier`)
  const [to, from] = [pipe(), pipe()]
  const first: Pipeline = { negated: false, commands: [body], pipesErrors: [false] }
  const job = startJob(shell, { first, rest: [], background: true, line }, (child) => {
    child.loops = 0
    child.descriptors.set(0, new OpenFile({ reader: to.reader }))
    child.descriptors.set(1, new OpenFile({ writer: from.writer }))
    return child.engine.runCommand(child, body)
  })
  const reads = shell.descriptors.freeFromAbove(readEnd)
  shell.descriptors.set(reads, new OpenFile({ reader: from.reader }))
  const writes = shell.descriptors.freeFromAbove(writeEnd)
  shell.descriptors.set(writes, new OpenFile({ writer: to.writer }))
  assignList(shell, name, [String(reads), String(writes)])
  assignText(shell, `${name}_PID`, String(job.pid))
  job.forget = () => {
    delete job.forget
    for (const descriptor of [reads, writes]) shell.descriptors.close(descriptor)
    for (const variable of [name, `${name}_PID`]) unsetVariable(shell, { name: variable }, false)
  }
  return 0
}
