/** The part of the Dockerfile language that describes files and variables: FROM, WORKDIR, COPY and ENV. */

export type DockerStep =
  | { kind: 'workdir'; path: string; line: number }
  | { kind: 'env'; values: readonly (readonly [name: string, value: string])[]; line: number }
  | { kind: 'copy'; sources: readonly string[]; to: string; mode?: number; line: number }

export type Dockerfile =
  | { steps: readonly DockerStep[] }
  /** It needs more than files and variables. */
  | { unsupported: string; line: number }

interface Instruction {
  name: string
  rest: string
  line: number
}

/** Variables are not replaced yet: their values are known when the steps are done in order. */
export function parseDockerfile(text: string): Dockerfile {
  if (/^#\s*escape\s*=\s*`/im.test(text)) return { unsupported: 'the escape character `', line: 1 }
  const steps: DockerStep[] = []
  let stages = 0
  for (const instruction of instructionsIn(text)) {
    const { name, rest, line } = instruction
    if (name === 'FROM') stages += 1
    if (stages > 1) return { unsupported: 'a build of several stages', line }
    const step = stepOf(instruction)
    if (typeof step === 'string') return { unsupported: step, line }
    if (/<<[-~]?["']?\w/.test(rest) && name === 'COPY') return { unsupported: 'COPY of a here-document', line }
    if (step !== undefined) steps.push(step)
  }
  return { steps }
}

/** `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}`; a backslash protects a dollar. */
export function replaceVariables(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(
    /\\(\$)|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::([-+])([^}]*))?\})/g,
    (_all, dollar, plain, braced, operator, word) => {
      if (dollar !== undefined) return dollar
      const value = values.get(plain ?? braced)
      if (operator === '-') return value || word
      if (operator === '+') return value ? word : ''
      return value ?? ''
    },
  )
}

/** One for each instruction: lines that end in a backslash go on, and comments between them are not part of it. */
function instructionsIn(text: string): Instruction[] {
  const instructions: Instruction[] = []
  let pending: { text: string; line: number } | undefined
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(raw)) continue
    const goesOn = /\\\s*$/.test(raw)
    const piece = goesOn ? raw.replace(/\\\s*$/, '') : raw
    pending = { text: (pending?.text ?? '') + piece, line: pending?.line ?? index + 1 }
    if (goesOn) continue
    instructions.push(instructionOf(pending))
    pending = undefined
  }
  if (pending !== undefined) instructions.push(instructionOf(pending))
  return instructions
}

function instructionOf({ text, line }: { text: string; line: number }): Instruction {
  const trimmed = text.trim()
  const name = /^\S+/.exec(trimmed)?.[0] ?? ''
  return { name: name.toUpperCase(), rest: trimmed.slice(name.length).trim(), line }
}

/** Undefined where there is nothing to do; a text says what is not understood. */
function stepOf({ name, rest, line }: Instruction): DockerStep | string | undefined {
  switch (name) {
    case 'FROM':
      return undefined
    case 'WORKDIR': {
      const [path = ''] = words(rest)
      return { kind: 'workdir', path, line }
    }
    case 'ENV':
      return { kind: 'env', values: variablesIn(rest), line }
    case 'COPY':
      return copyOf(rest, line)
    default:
      return `the instruction ${name}`
  }
}

function copyOf(rest: string, line: number): DockerStep | string {
  const given = words(rest)
  let mode: number | undefined
  let first = given[0]
  while (first?.startsWith('--')) {
    const [, flag = '', value = ''] = /^--([\w-]+)(?:=(.*))?$/s.exec(first) ?? []
    if (flag === 'chmod' && /^0?[0-7]{3,4}$/.test(value)) mode = Number.parseInt(value, 8)
    else if (flag !== 'chown' && flag !== 'link') return `COPY --${flag}`
    given.shift()
    first = given[0]
  }
  const list = rest.slice(rest.indexOf('[')).trim()
  // As Docker does it: what begins like a list without being one is a pattern such as `[a-z]*`.
  const paths = (first?.startsWith('[') ? jsonWords(list) : undefined) ?? given
  const to = paths.at(-1)
  if (to === undefined || paths.length < 2) return 'COPY without a source and a destination'
  return { kind: 'copy', sources: paths.slice(0, -1), to, ...(mode !== undefined && { mode }), line }
}

function jsonWords(list: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(list)
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined
  } catch {
    return undefined
  }
}

/** `ENV NAME=value OTHER="more words"`, or the old form `ENV NAME all the rest`. */
function variablesIn(rest: string): [string, string][] {
  if (!/^[^\s=]+=/.test(rest)) {
    const [, name = '', value = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? []
    return [[name, value]]
  }
  return words(rest).map((word) => {
    const equals = word.indexOf('=')
    return equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)]
  })
}

/** Splits at blanks outside quotes, and removes the quotes. In single quotes a dollar stays a dollar. */
function words(text: string): string[] {
  const found: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (quote === '"' && character === '\\' && /["\\]/.test(text[at + 1] ?? '')) {
        at += 1
        word += text[at] as string
      } else word = `${word ?? ''}${quote === "'" && character === '$' ? '\\$' : character}`
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else if (character === '\\' && /[\s"'\\]/.test(text[at + 1] ?? '')) {
      at += 1
      word = `${word ?? ''}${text[at]}`
    } else word = `${word ?? ''}${character}`
  }
  if (word !== undefined) found.push(word)
  return found
}
