/** How soon V8 optimises a function. */
interface Flag {
  name: string
  /** Its default. */
  usual: number
  /** Its value while threads work. */
  later: number
}

/** The V8 of Node 20 and of Node 22; others have other defaults, or gain nothing. */
const flags: Readonly<Record<string, Flag>> = {
  '11.3': { name: 'interrupt-budget', usual: 67_584, later: 300_000 },
  '12.4': { name: 'invocation-count-for-turbofan', usual: 3_000, later: 12_000 },
}

/** Undefined on versions of V8 that are left alone. */
export function flagOf(version: string | undefined): Flag | undefined {
  return flags[(version ?? '').split('.', 2).join('.')]
}

/** By then what is worth it has been optimised; a server that searches on and on is as fast as without this. */
export const firstTimes = 20

const known = process.versions.bun === undefined ? flagOf(process.versions.v8) : undefined
const isGiven =
  known !== undefined && process.execArgv.some((argument) => argument.replaceAll('_', '-').includes(known.name))
const flag = isGiven ? undefined : known
let begun = 0
let working = 0

/**
 * Makes V8 optimise functions later, until the returned function is called: in the first searches its compiler would take the processors from
 * the threads, for functions that it has to compile again when it knows more about them. Does nothing on other versions of V8, and when
 * the flag was given on the command line.
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
