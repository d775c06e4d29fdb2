/** Times two implementations of the same work in turns. */
import fs from 'node:fs'

/** A server that has answered once. */
const warmUpMs = 3_000

/**
 * Runs both in every round, in alternating order, so that other load affects both alike; the first rounds only warm
 * up. The ratio is the median of the rounds' own ratios. `cpu` is the ratio of the time on processors, where theirs is a child
 * process: on a machine that is not idle it is the better measure. What runs `before` each is not counted.
 */
export async function compare({ ours, theirs, rounds, before = () => {} }) {
  const warmed = performance.now() + warmUpMs
  status('warming up')
  for (let i = 0; i < 20 && performance.now() < warmed; i += 1) await ours()
  await theirs()
  const results = []
  let ownCpu = 0
  let otherCpu = 0
  for (let round = 0; round < rounds; round += 1) {
    status(`round ${round + 1} of ${rounds}`)
    const runOurs = async () => {
      await before()
      const used = process.cpuUsage()
      const ms = await timed(ours)
      const { user, system } = process.cpuUsage(used)
      ownCpu += (user + system) / 1000
      return ms
    }
    const runTheirs = async () => {
      await before()
      const used = childrenMs()
      const ms = await timed(theirs)
      otherCpu += childrenMs() - used
      return ms
    }
    const oursFirst = Math.random() < 0.5
    const first = await (oursFirst ? runOurs : runTheirs)()
    const second = await (oursFirst ? runTheirs : runOurs)()
    const [own, other] = oursFirst ? [first, second] : [second, first]
    results.push({ own, other, ratio: own / other })
  }
  status('')
  return {
    oursMs: median(results.map(({ own }) => own)),
    theirsMs: median(results.map(({ other }) => other)),
    ratio: median(results.map(({ ratio }) => ratio)),
    ...(otherCpu > 0 && { cpu: ownCpu / otherCpu }),
  }
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

/** Prints rows as they come. `target` is the highest ratio that is still good. */
export function table() {
  const widths = [52, 10, 10, 7, 7, 8]
  const line = (cells) => {
    status('')
    console.log(
      cells
        .map((cell, i) => String(cell).padEnd(widths[i]))
        .join(' ')
        .trimEnd(),
    )
  }
  const short = (ratio) => (ratio === undefined ? '-' : ratio.toFixed(ratio < 0.1 ? 3 : 2))
  const missed = []
  line(['what, against what', 'ours ms', 'theirs ms', 'ratio', 'cpu', 'target'])
  return {
    row(name, { oursMs, theirsMs, ratio, cpu }, target) {
      const isMissed = target !== undefined && ratio > target
      if (isMissed) missed.push(name)
      const aim = target === undefined ? '-' : `≤ ${target}${isMissed ? ' ✗' : ''}`
      line([name, oursMs.toFixed(2), theirsMs?.toFixed(2) ?? '-', short(ratio), short(cpu), aim])
    },
    note(text) {
      status('')
      console.log(`  ${text}`)
    },
    missed,
  }
}
