/** Arithmetic on the variables of a shell. */
import { type ArithmeticVariables, evaluateText } from '../arithmetic/evaluate.js'
import { ArithmeticFault } from '../arithmetic/expression.js'
import { ExpansionFailure, MildFailure, ScriptFailure } from '../run/state/jumps.js'
import type { Arithmetic, Shell } from '../run/state/shell.js'
import { expander } from './expand-word.js'
import { subscriptOf } from './subscripts.js'
import { UnboundFailure } from './unbound-failure.js'
import {
  assignElement,
  assignText,
  ElementFault,
  isSpecial,
  readElement,
  readSpecial,
  readText,
  resolveReference,
  SubscriptFailure,
} from './variable-access.js'

const adapters = new WeakMap<Shell, ArithmeticVariables>()

function variablesOf(shell: Shell): ArithmeticVariables {
  const known = adapters.get(shell)
  if (known !== undefined) return known
  const variables: ArithmeticVariables = {
    get(name, key) {
      const value = read(shell, name, key)
      if (value !== undefined || !shell.options.nounset) return value
      // A missing element of an existing array counts as 0.
      const isThere = key !== undefined && shell.variables.get(resolveReference(shell, name).name) !== undefined
      if (!isThere) throw new UnboundFailure(name)
      return value
    },
    set(name, value, key) {
      if (key === undefined) {
        assignText(shell, name, value)
        return
      }
      try {
        assignElement(shell, name, key, value)
      } catch (error) {
        if (!(error instanceof SubscriptFailure)) throw error
        shell.warn(error.message)
      }
    },
    wrongIndex: (message) => new ScriptFailure(message),
    subscript: (text, isKey) => subscriptOf(expander, shell, text, isKey),
    isAssociative: (name) => shell.variables.get(resolveReference(shell, name).name)?.map !== undefined,
  }
  adapters.set(shell, variables)
  return variables
}

function read(shell: Shell, given: string, key: string | undefined): string | undefined {
  if (isSpecial(given)) return readSpecial(shell, given)
  if (key === undefined) return readText(shell, given)
  const { name } = resolveReference(shell, given)
  if (key === '') {
    shell.warn(`${given}[]: bad array subscript`)
    return undefined
  }
  try {
    return readElement(shell, name, key)
  } catch (error) {
    if (!(error instanceof ElementFault)) throw error
    shell.warn(`${name}: bad array subscript`)
    return undefined
  }
}

/** Failures are `ArithmeticFault`s, for those who print them in their own way. */
export function calculateRaw(shell: Shell, text: string): number | bigint {
  return evaluateText(text, variablesOf(shell))
}

function calculate(shell: Shell, text: string): number | bigint {
  try {
    return evaluateText(text, variablesOf(shell))
  } catch (error) {
    if (error instanceof ArithmeticFault) throw new MildFailure(error.message)
    throw error
  }
}

export const arithmetic: Arithmetic = {
  calculate,
  subscript: (shell, text, isKey) => subscriptOf(expander, shell, text, isKey),
  integer(shell, text) {
    try {
      return calculate(shell, text)
    } catch (error) {
      throw error instanceof MildFailure ? new ScriptFailure(error.message) : error
    }
  },
  index(shell, text) {
    const code = text.charCodeAt(0)
    // Most indexes are digits.
    if (text.length === 1 && code >= 48 && code <= 57) return code - 48
    const index = this.integer(shell, text)
    if (typeof index === 'number') return index
    throw new ExpansionFailure(`${index}: an index of that size is not supported`)
  },
}
