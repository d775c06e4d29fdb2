/** The flag that decides how soon V8 optimises a function, by V8's major version: its default, and its value while threads work. */
export const flags: Readonly<Record<string, { name: string; usual: number; later: number }>> = {
  11: { name: 'interrupt-budget', usual: 67_584, later: 300_000 },
  12: { name: 'invocation-count-for-turbofan', usual: 3_000, later: 12_000 },
}

const [major = ''] = (process.versions.v8 ?? '').split('.')
const known = process.versions.bun === undefined ? flags[major] : undefined
const isGiven = known !== undefined && process.execArgv.some((argument) => argument.includes(known.name))
const flag = isGiven ? undefined : known
let working = 0

/**
 * Makes V8 optimise functions later, until the returned function is called: otherwise its compiler takes the processors from the threads.
 * Does nothing on versions of V8 without an entry above, and when the flag was given on the command line.
 */
export function optimiseLater(): () => void {
  if (flag === undefined) return () => {}
  const { name, usual, later } = flag
  const set = (value: number) => process.getBuiltinModule('node:v8').setFlagsFromString(`--${name}=${value}`)
  if (working === 0) set(later)
  working += 1
  return () => {
    working -= 1
    if (working === 0) set(usual)
  }
}
