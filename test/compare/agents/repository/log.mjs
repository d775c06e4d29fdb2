import { seeded } from './random.mjs'

const lineCount = 231_000
const deploymentLine = 141_337
const exhaustions = 23
/** Seconds from the deployment to the first error after it. */
const quietSeconds = 17

const components = ['http', 'ledger', 'billing', 'mailer', 'scheduler', 'export']
const messages = [
  'request finished status=200',
  'request finished status=304',
  'entry booked',
  'statement queued for delivery',
  'cache refreshed',
  'session renewed',
  'batch of transfers accepted',
]
const failures = ['upstream closed the connection', 'statement could not be delivered', 'transfer rejected by the bank']

let made

/** The log, and the facts that questions about it ask for. */
export function serverLog() {
  made ??= write()
  return made
}

function write() {
  const random = seeded(20_260_314)
  const exhaustedAt = new Set(Array.from({ length: exhaustions }, (_, i) => 4_321 + i * 9_713))
  const lines = []
  let firstErrorAfter
  let lastExhaustedBefore
  let deployedAt
  let second = 0
  let time = clock(second)
  for (let number = 1; number <= lineCount; number += 1) {
    if (random.below(100) < 36) time = clock(++second)
    const request = random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')
    if (number === deploymentLine) {
      deployedAt = second
      lines.push(`${time} INFO  [deploy] deployed release 2.4.1 build=7781 host=app-3`)
      continue
    }
    if (exhaustedAt.has(number)) {
      lines.push(`${time} WARN  [store] connection pool exhausted, waiting=${3 + random.below(60)} req=${request}`)
      if (number < deploymentLine) lastExhaustedBefore = request
      continue
    }
    const isQuiet = deployedAt !== undefined && second < deployedAt + quietSeconds
    const ms = random.below(900)
    if (!isQuiet && (random.below(110) === 0 || (deployedAt !== undefined && firstErrorAfter === undefined))) {
      if (deployedAt !== undefined) firstErrorAfter ??= request
      lines.push(`${time} ERROR [${random.pick(components)}] ${random.pick(failures)} ms=${ms} req=${request}`)
      continue
    }
    lines.push(`${time} INFO  [${random.pick(components)}] ${random.pick(messages)} ms=${ms} req=${request}`)
  }
  const facts = { exhaustions, deploymentLine, deployedAt, quietSeconds, firstErrorAfter, lastExhaustedBefore }
  return { text: `${lines.join('\n')}\n`, lines, facts }
}

/** The time of a second since the start of the log. */
export function clock(second) {
  return new Date(Date.UTC(2026, 2, 14) + second * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
