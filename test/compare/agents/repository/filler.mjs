import { seeded } from './random.mjs'

const verbs = ['collect', 'merge', 'select', 'order', 'measure', 'split', 'check', 'prepare', 'close', 'resolve']
const nouns = ['Entries', 'Rows', 'Totals', 'Accounts', 'Keys', 'Fields', 'Parts', 'Marks', 'Limits', 'Names']
const fields = ['amount', 'account', 'date', 'text', 'currency', 'number']

/** A module of ordinary functions: what an agent has to read past. */
export function filler({ name, seed, parsesRecords, variable }) {
  const random = seeded(seed * 7_919)
  const subject = name.split('/')[1].replaceAll('-', ' ')
  const taken = new Set()
  const imports = []
  if (parsesRecords) imports.push("import { parseRecord } from '../core/record.js'")
  if (random.below(2) === 0) imports.push("import { roundHalfEven } from '../core/money.js'")
  const functions = Array.from({ length: 3 + random.below(3) }, () => ordinary(random, subject, taken))
  if (imports.some((line) => line.includes('roundHalfEven'))) functions.push(rounding(subject))
  if (parsesRecords) functions.splice(1, 0, parsing(subject))
  const settings = variable ? [`const setting = process.env.${variable} ?? ''\n`] : []
  return `${[...imports, ''].join('\n')}${imports.length > 0 ? '\n' : ''}${[...settings, ...functions].join('\n')}`.trimStart()
}

function ordinary(random, subject, taken) {
  let called
  do called = random.pick(verbs) + random.pick(nouns)
  while (taken.has(called))
  taken.add(called)
  const field = random.pick(fields)
  return random.pick(templates)({ called, field, subject, limit: 2 + random.below(60) })
}

const templates = [
  ({ called, field, subject, limit }) => `/** The first ${limit} by ${field}, for the ${subject}. */
export function ${called}(list) {
  const sorted = [...list].sort((a, b) => (a.${field} < b.${field} ? -1 : 1))
  return sorted.slice(0, ${limit})
}
`,
  ({
    called,
    field,
    subject,
  }) => `/** Groups what the ${subject} has by ${field}; the order inside a group is that of the list. */
export function ${called}(list) {
  const groups = new Map()
  for (const item of list) {
    const group = groups.get(item.${field}) ?? []
    group.push(item)
    groups.set(item.${field}, group)
  }
  return groups
}
`,
  ({ called, field, subject, limit }) => `/** Refuses a ${subject} whose ${field} is longer than ${limit} characters. */
export function ${called}(item) {
  const value = String(item.${field} ?? '')
  if (value.length === 0) throw new Error('${subject}: ${field} is missing')
  if (value.length > ${limit}) throw new Error('${subject}: ${field} is too long')
  return { ...item, ${field}: value.trim() }
}
`,
  ({ called, field, subject }) => `/** Adds up ${field} over all items of the ${subject}, in whole cents. */
export function ${called}(list) {
  let cents = 0
  for (const item of list) {
    if (item.isCancelled) continue
    cents += Math.round(Number(item.${field}) * 100)
  }
  return cents / 100
}
`,
]

const rounding = (subject) => `/** What the ${subject} shows of an amount. */
export function shownAmount(amount) {
  return roundHalfEven(amount, 2).toFixed(2)
}
`

const parsing = (subject) => `/** Reads the lines of a ${subject}; empty lines and comments are passed over. */
export function linesOf(text) {
  const lines = text.split('\\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => parseRecord(line))
}

/** The first field of a line, or undefined. */
export function firstField(line) {
  const [first] = parseRecord(line)
  return first
}
`
