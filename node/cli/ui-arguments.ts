/** The flags of the page on real directories. */
import { UsageError } from '../terminal/usage-error.js'

export interface UiArguments {
  /** The page may run commands. */
  shell: boolean
  /** Clients have to ask before changes and commands. */
  ask: boolean
  /** How long a call waits for the user. */
  askMs: number
  /** Open the page in a browser. */
  open: boolean
}

export interface UiFlags {
  ui?: boolean | undefined
  shell?: boolean | undefined
  ask?: boolean | undefined
  'ask-timeout'?: string | undefined
  open?: boolean | undefined
  'no-open'?: boolean | undefined
  memory?: boolean | undefined
  store?: string | undefined
  http?: string | undefined
}

/** Shorter than what most clients wait for an answer, so that the agent reads the reason. */
const defaultAskSeconds = 50

/** `isCommand` for `polyfs ui`. */
export function uiOf(values: UiFlags, isCommand: boolean): { ui?: UiArguments } {
  const { shell = false, ask = false, open = false } = values
  if (!isCommand && values.ui !== true) {
    const others = ['shell', 'ask', 'ask-timeout', 'open', 'no-open'] as const
    const stray = others.find((flag) => values[flag] !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray} requires --ui, or 'polyfs ui'`)
    return {}
  }
  // Each client has a tree of its own there, and no page could show them all.
  for (const flag of ['memory', 'store'] as const) {
    if (values[flag]) throw new UsageError(`the page shows directories; leave out --${flag}`)
  }
  const isBesideClient = !isCommand && values.http === undefined
  return {
    ui: {
      shell,
      ask,
      askMs: 1000 * seconds(values['ask-timeout'] ?? String(defaultAskSeconds)),
      // Nobody sees what a server writes that a client has started.
      open: open || (isBesideClient && values['no-open'] !== true),
    },
  }
}

function seconds(given: string): number {
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new UsageError(`--ask-timeout takes seconds, not '${given}'`)
  return Number(given)
}
