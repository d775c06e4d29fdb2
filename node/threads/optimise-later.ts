/** The flag that decides how soon V8 optimises a function, by V8's major version: its default, and its value while threads work. */
export const flags: Readonly<Record<string, { name: string; usual: number; later: number }>> = {
  11: { name: 'interrupt-budget', usual: 67_584, later: 300_000 },
  12: { name: 'invocation-count-for-turbofan', usual: 3_000, later: 12_000 },
}

/** By then what is worth it has been optimised; a server that searches on and on is as fast as without this. */
export const firstTimes = 20

const [major = ''] = (process.versions.v8 ?? '').split('.')
const known = process.versions.bun === undefined ? flags[major] : undefined
const isGiven = known !== undefined && process.execArgv.some((argument) => argument.includes(known.name))
const flag = isGiven ? undefined : known
let begun = 0
let working = 0

/**
 * Makes V8 optimise functions later, until the returned function is called: in the first searches its compiler would take the processors from
 * the threads, for functions that it has to compile again when it knows more about them. Does nothing on versions of V8 without an entry
 * above, and when the flag was given on the command line.
 */
export function optimiseLater(): () => void {
  begun += 1
  if (flag === undefined || begun > firstTimes) return () => {}
  const { name, usual, later } = flag
  const set = (value: number) => process.getBuiltinModule('node:v8').setFlagsFromString(`--${name}=${value}`)
  if (working === 0) set(later)
  working += 1
  return () => {
    working -= 1
    if (working === 0) set(usual)
  }
}
