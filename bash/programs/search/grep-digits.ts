/** `-5` and `-n5` as `-C 5`: digits among the options are the length of the context. */
const takesValue = 'ABCDXdefm'
const longWithValue =
  /^--(regexp|file|max-count|label|binary-files|directories|devices|include|exclude|exclude-from|exclude-dir|before-context|after-context|context|group-separator)$/

export function rewriteDigits(args: readonly string[]): readonly string[] {
  const rewritten: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') return [...rewritten, ...args.slice(at)]
    const isShort = /^-[^-]/.test(arg)
    const parts = isShort ? withoutDigits(arg) : [arg]
    rewritten.push(...parts)
    const takesNext = isShort ? endsInValueOption(arg) : longWithValue.test(arg)
    if (takesNext && at + 1 < args.length) rewritten.push(args[++at] as string)
  }
  return rewritten
}

/** Whether the last letter is an option whose value is the next argument. */
function endsInValueOption(arg: string): boolean {
  const first = [...arg.slice(1)].findIndex((letter) => takesValue.includes(letter))
  return first >= 0 && first === arg.length - 2
}

function withoutDigits(arg: string): string[] {
  const letters = [...arg.slice(1)]
  const valueAt = letters.findIndex((letter) => takesValue.includes(letter))
  const flags = valueAt < 0 ? letters : letters.slice(0, valueAt)
  const digits = flags.filter((letter) => /^[0-9]$/.test(letter)).join('')
  if (digits === '') return [arg]
  const others = letters.filter((letter, index) => !/^[0-9]$/.test(letter) || (valueAt >= 0 && index >= valueAt))
  return [`-C${digits}`, ...(others.length > 0 ? [`-${others.join('')}`] : [])]
}
