/** `trap`, `kill`, `wait`, `jobs` and what goes with them. */
import { assignText } from '../expand/variable-access.js'
import { ExitJump } from '../run/state/jumps.js'
import type { Job, Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { runTrap } from '../run/traps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'
import { signalName, signalNames, signalNumber } from './signals.js'

export const jobBuiltins: Builtins = {
  trap,
  kill,
  wait: waitFor,
  jobs,
  *disown(shell, args, call) {
    if (args.length === 0 && shell.jobs.length === 0) return yield* fail(shell, call, 'current: no such job')
    return 0
  },
  fg: (shell, _args, call) => fail(shell, call, 'no job control'),
  bg: (shell, _args, call) => fail(shell, call, 'no job control'),
  suspend: (shell, _args, call) => fail(shell, call, 'cannot suspend: no job control'),
  logout: (shell, _args, call) => fail(shell, call, "not login shell: use `exit'"),
}

/** Signals that end nothing. */
const harmless = ['CHLD', 'CONT', 'URG', 'WINCH']

const events = ['EXIT', 'DEBUG', 'ERR', 'RETURN']

function eventName(text: string): string | undefined {
  if (text === '0') return 'EXIT'
  const upper = text.toUpperCase().replace(/^SIG/, '')
  if (events.includes(upper)) return upper
  const number = signalNumber(text)
  return number === undefined ? undefined : `SIG${signalName(number)}`
}

function* trap(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'lp')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'trap [-lp] [[arg] signal_spec ...]')
  if (flags.has('l')) {
    yield* shell.write(1, signalTable())
    return 0
  }
  if (rest.length === 0 || flags.has('p')) {
    const wanted = rest.map((text) => eventName(text) ?? text)
    const order = (name: string) =>
      name === 'EXIT' ? 0 : events.includes(name) ? 100 + events.indexOf(name) : (signalNumber(name) ?? 99)
    const shown = [...(shell.shownTraps ?? shell.traps)].filter(
      ([name]) => wanted.length === 0 || wanted.includes(name),
    )
    shown.sort(([one], [other]) => order(one) - order(other))
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
    yield* shell.write(1, shown.map(([name, command]) => `trap -- ${quoted(command)} ${name}\n`).join(''))
    return 0
  }
  const isReset = rest.length === 1 || rest[0] === '-' || /^\d+$/.test(rest[0] as string)
  const command = isReset ? undefined : (rest[0] as string)
  const names = rest.length === 1 || (isReset && rest[0] !== '-') ? rest : rest.slice(1)
  let status = 0
  shell.shownTraps = undefined
  for (const text of names) {
    const name = eventName(text)
    if (name === undefined) {
      status = yield* fail(shell, call, `${text}: invalid signal specification`)
      continue
    }
    if (command === undefined) shell.traps.delete(name)
    else shell.traps.set(name, command)
  }
  return status
}

function signalTable(): string {
  const cells = signalNames.map((name, at) => `${String(at + 1).padStart(2)}) SIG${name}`)
  const lines: string[] = []
  for (let at = 0; at < cells.length; at += 5) lines.push(cells.slice(at, at + 5).join('\t'))
  return `${lines.join('\n')}\n`
}

function* kill(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  let signal = 15
  let rest = [...args]
  const [first = ''] = rest
  if (first === '-l' || first === '-L') {
    const given = rest.slice(1)
    if (given.length === 0) yield* shell.write(1, signalTable())
    for (const text of given) {
      const isNumber = /^\d+$/.test(text)
      const number = isNumber ? Number(text) % 128 : signalNumber(text)
      const shown = isNumber ? signalName(number ?? 0) : number === undefined ? undefined : String(number)
      if (shown === undefined) return yield* fail(shell, call, `${text}: invalid signal specification`)
      yield* shell.write(1, `${shown}\n`)
    }
    return 0
  }
  if (first === '-s' || first === '-n' || (/^-./.test(first) && first !== '--')) {
    const text = first === '-s' || first === '-n' ? (rest[1] ?? '') : first.slice(1)
    const number = text === '0' ? 0 : signalNumber(text)
    if (number === undefined) return yield* fail(shell, call, `${text}: invalid signal specification`)
    signal = number
    rest = rest.slice(first === '-s' || first === '-n' ? 2 : 1)
  }
  if (rest[0] === '--') rest = rest.slice(1)
  if (rest.length === 0) {
    yield* shell.complain(
      'kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n',
    )
    return 2
  }
  let status = 0
  for (const target of rest) status = (yield* sendSignal(shell, call, target, signal)) || status
  return status
}

function* sendSignal(shell: Shell, call: BuiltinCall, target: string, signal: number): Steps<number> {
  const pid = Number(target)
  if (!target.startsWith('%') && !Number.isInteger(pid)) {
    return yield* fail(shell, call, `${target}: arguments must be process or job IDs`)
  }
  if (pid === shell.mainPid || pid === shell.pid || pid === 0) {
    if (signal === 0) return 0
    return yield* ownSignal(shell, signal)
  }
  const job = findJob(shell, target)
  if (job === undefined || job.status !== undefined) {
    return yield* fail(shell, call, target.startsWith('%') ? `${target}: no such job` : `(${target}) - No such process`)
  }
  const name = signalName(signal) ?? ''
  if (['STOP', 'TSTP', 'TTIN', 'TTOU'].includes(name)) {
    return yield* fail(shell, call, `${name}: stopped jobs are not supported by this shell`, 2)
  }
  if (signal !== 0 && !harmless.includes(name)) job.kill(signal)
  return 0
}

/** A signal to the shell itself: its trap, or its end. */
function* ownSignal(shell: Shell, signal: number): Steps<number> {
  const name = `SIG${signalName(signal)}`
  if (shell.traps.has(name)) {
    yield* runTrap(shell, name)
    return 0
  }
  if (harmless.includes(signalName(signal) ?? '')) return 0
  if (signal === 9) shell.traps.delete('EXIT')
  throw new ExitJump(128 + signal)
}

export function findJob(shell: Shell, text: string): Job | undefined {
  if (!text.startsWith('%')) return shell.jobs.find(({ pid }) => pid === Number(text))
  const name = text.slice(1)
  if (name === '' || name === '%' || name === '+') return shell.jobs.at(-1)
  if (name === '-') return shell.jobs.at(-2) ?? shell.jobs.at(-1)
  if (/^\d+$/.test(name)) return shell.jobs.find(({ number }) => number === Number(name))
  if (name.startsWith('?')) return shell.jobs.find((job) => job.text.includes(name.slice(1)))
  return shell.jobs.find((job) => job.text.startsWith(name))
}

function* waitFor(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'fn', 'p')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'wait [-fn] [-p var] [id ...]')
  if (flags.has('n')) {
    const jobs = (rest.length > 0 ? rest.flatMap((text) => findJob(shell, text) ?? []) : shell.jobs).filter(
      ({ reported }) => !reported,
    )
    if (jobs.length === 0) return 127
    const first =
      jobs.find(({ status }) => status !== undefined) ??
      (yield* wait(Promise.race(jobs.map((job) => job.ended.then(() => job)))))
    const variable = flags.get('p')
    if (variable !== undefined) assignText(shell, variable, String(first.pid))
    return forget(shell, first)
  }
  if (rest.length === 0) {
    for (const job of [...shell.jobs]) {
      yield* wait(job.ended)
      forget(shell, job)
    }
    return 0
  }
  let status = 0
  for (const text of rest) {
    const job = findJob(shell, text)
    const known = shell.endedJobs.get(Number(text))
    if (job !== undefined) {
      yield* wait(job.ended)
      status = forget(shell, job)
    } else if (known !== undefined) status = known
    else if (text.startsWith('%')) status = yield* fail(shell, call, `${text}: no such job`, 127)
    else if (/^\d+$/.test(text)) status = yield* fail(shell, call, `pid ${text} is not a child of this shell`, 127)
    else status = yield* fail(shell, call, `\`${text}': not a pid or valid job spec`)
  }
  return status
}

/** Removes a job that has ended, and keeps its status for later. */
function forget(shell: Shell, job: Job): number {
  const status = job.status ?? 0
  job.reported = true
  job.forget?.()
  shell.jobs = shell.jobs.filter((other) => other !== job)
  shell.endedJobs.set(job.pid, status)
  return status
}

function* jobs(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, wrong } = parseFlags(args, 'lnprs')
  if (wrong !== undefined)
    return yield* wrongOption(shell, call, wrong, 'jobs [-lnprs] [jobspec ...] or jobs -x command [args]')
  for (const job of [...shell.jobs]) {
    if (flags.has('s') || (flags.has('r') && job.status !== undefined)) continue
    if (flags.has('p')) {
      yield* shell.write(1, `${job.pid}\n`)
      continue
    }
    const at = shell.jobs.indexOf(job)
    const mark = at === shell.jobs.length - 1 ? '+' : at === shell.jobs.length - 2 ? '-' : ' '
    const state =
      job.status === undefined
        ? 'Running'
        : job.status === 0
          ? 'Done'
          : job.status > 128
            ? 'Terminated'
            : `Exit ${job.status}`
    const pid = flags.has('l') ? ` ${job.pid} ` : '  '
    const tail = job.status === undefined ? ' &' : ''
    yield* shell.write(1, `[${job.number}]${mark}${pid}${state.padEnd(24)}${job.text}${tail}\n`)
  }
  shell.jobs = shell.jobs.filter(({ status }) => status === undefined)
  return 0
}
