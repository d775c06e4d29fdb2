/** Times two implementations of the same work in turns. */
import fs from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A server that has answered once. */
const warmUpMs = 3_000
/** Time on processors: by then engines have compiled what a process does all the time, also on a machine that is not idle. */
const steadyMs = 5_000
const longestWarmUpMs = 30_000

/**
 * Runs ours and theirs in every round, in alternating order, so that other load affects both alike; the first rounds only warm
 * up. The ratio is the median of the rounds' own ratios. `cpu` is the ratio of the time on processors, where theirs is a child
 * process: on a machine that is not idle it is the better measure. What runs `before` each is not counted. `steady` is for what one
 * process does thousands of times: each side is warmed up for the same time on processors.
 */
export async function compare({ ours, theirs, rounds, before, steady }) {
  const [result] = await compareAll({ ours, rivals: [theirs], rounds, before, steady })
  return result
}

/** The same with several rivals, which share the rounds of ours. */
export async function compareAll({ ours, rivals, rounds, before = () => {}, steady = false }) {
  status('warming up')
  if (steady) for (const run of [ours, ...rivals]) await warmUp(run)
  else {
    const warmed = performance.now() + warmUpMs
    for (let i = 0; i < 20 && performance.now() < warmed; i += 1) await ours()
    for (const rival of rivals) await rival()
  }
  const runs = [
    { run: ours, used: ownProcessorMs, cpuMs: 0, times: [] },
    ...rivals.map((run) => ({ run, used: childrenMs, cpuMs: 0, times: [] })),
  ]
  for (let round = 0; round < rounds; round += 1) {
    status(`round ${round + 1} of ${rounds}`)
    for (const one of shuffled(runs)) {
      await before()
      const used = one.used()
      one.times.push(await timed(one.run))
      one.cpuMs += one.used() - used
    }
  }
  status('')
  const [own, ...others] = runs
  return others.map(({ times, cpuMs }) => ({
    oursMs: median(own.times),
    theirsMs: median(times),
    ratio: median(own.times.map((ms, round) => ms / times[round])),
    ...(cpuMs > 0 && { cpu: own.cpuMs / cpuMs }),
  }))
}

async function warmUp(run) {
  const used = () => ownProcessorMs() + childrenMs()
  const [started, usedBefore] = [performance.now(), used()]
  while (used() - usedBefore < steadyMs && performance.now() - started < longestWarmUpMs) await run()
}

function shuffled(list) {
  return list
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function ownProcessorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** One line on a terminal that the next one replaces. */
export function status(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

export async function timed(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** Collects garbage now, so that what is left can be counted. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}

/** Processor time of the children that have ended, in steps of 10 ms; only Linux reports it. */
function childrenMs() {
  try {
    const fields = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    return 10 * (Number(fields[13]) + Number(fields[14]))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return 0
  }
}

/**
 * Collects rows by group, and prints them as they come. A row says what is done and what it is compared with; `target` is the highest
 * ratio of ours to theirs that is still good.
 */
export function table() {
  const widths = [66, 30, 10, 10, 7, 7, 8]
  const line = (cells) => {
    status('')
    console.log(
      cells
        .map((cell, i) => String(cell).padEnd(widths[i]))
        .join(' ')
        .trimEnd(),
    )
  }
  const short = (ratio) => {
    if (ratio === undefined) return '-'
    return ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)
  }
  const groups = []
  const current = () => groups.at(-1)
  line(['what', 'compared with', 'ours', 'theirs', 'ratio', 'cpu', 'target'])
  const add = (row) => {
    current().rows.push(row)
    const { title, against, unit, ours, theirs, ratio, cpu, target } = row
    const aim = target === undefined ? '-' : `≤ ${short(target)}${isMissed(row) ? ' ✗' : ''}`
    const named = unit === 'ms' ? title : `${title} (${unit})`
    line([named, against, ours.toFixed(2), theirs?.toFixed(2) ?? '-', short(ratio), short(cpu), aim])
  }
  return {
    /** Rows and notes that follow belong to this group. */
    group(name) {
      groups.push({ name, rows: [], notes: [] })
    },
    row(title, against, { oursMs, theirsMs, ratio, cpu, unit = 'ms' }, target) {
      add({ title, against, unit, ours: oursMs, theirs: theirsMs, ratio, cpu, target })
    },
    /** A value that has a fixed limit in place of a rival. */
    limit(title, value, atMost, unit = 'ms') {
      add({ title, against: `at most ${atMost} ${unit}`, unit, ours: value, ratio: value / atMost, target: 1 })
    },
    note(text) {
      status('')
      current().notes.push(text)
      console.log(`  ${text}`)
    },
    /** A rival that can't be installed or loaded here. The reason is only printed: it may name files of this machine. */
    leftOut(rival, error) {
      this.note(`${rival} is left out: it can't be installed or loaded here`)
      console.log(`  ${error.message.split('\n')[0]}`)
    },
    groups,
    get missed() {
      return groups.flatMap(({ rows }) => rows.filter(isMissed).map(({ title, against }) => `${title}; ${against}`))
    },
  }
}

export function isMissed({ ratio, target }) {
  return target !== undefined && ratio > target
}
