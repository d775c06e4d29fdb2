/** The functions of mathematics. */
import type { JqContext } from './compile/code.js'
import { describe } from './paths.js'
import { JqError, type Json } from './values.js'

export type ValueFunction = (context: JqContext, input: Json, ...args: Json[]) => Json

function numeric(values: readonly Json[]): number[] {
  const wrong = values.find((value) => typeof value !== 'number')
  if (wrong !== undefined) throw new JqError(`${describe(wrong)} number required`)
  return values as number[]
}

const one =
  (apply: (value: number) => number): ValueFunction =>
  (_context, input) =>
    apply(numeric([input])[0] as number)

const two =
  (apply: (first: number, second: number) => number): ValueFunction =>
  (_context, _input, first, second) => {
    const [x = 0, y = 0] = numeric([first as Json, second as Json])
    return apply(x, y)
  }

/** Halves are rounded away from zero, or to even. */
const round = (value: number) => (value < 0 ? -Math.round(-value) : Math.round(value))

function roundToEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

function split(value: number): [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1)
  let fraction = value * 2 ** -exponent
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent -= 1
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent += 1
  }
  return [fraction, exponent]
}

/** Lanczos' approximation. */
function logGamma(value: number): number {
  if (value < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * value))) - logGamma(1 - value)
  const x = value - 1
  const weights = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ]
  let sum = 0.9999999999998099
  for (const [index, weight] of weights.entries()) sum += weight / (x + index + 1)
  const t = x + weights.length - 0.5
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum)
}

export const mathFunctions: Readonly<Record<string, ValueFunction>> = {
  'floor/0': one(Math.floor),
  'ceil/0': one(Math.ceil),
  'round/0': one(round),
  'trunc/0': one(Math.trunc),
  'rint/0': one(roundToEven),
  'nearbyint/0': one(roundToEven),
  'fabs/0': one(Math.abs),
  'sqrt/0': one(Math.sqrt),
  'cbrt/0': one(Math.cbrt),
  'exp/0': one(Math.exp),
  'exp2/0': one((value) => 2 ** value),
  'exp10/0': one((value) => 10 ** value),
  'pow10/0': one((value) => 10 ** value),
  'expm1/0': one(Math.expm1),
  'log/0': one(Math.log),
  'log2/0': one(Math.log2),
  'log10/0': one(Math.log10),
  'log1p/0': one(Math.log1p),
  'logb/0': one((value) => split(value)[1] - 1),
  'sin/0': one(Math.sin),
  'cos/0': one(Math.cos),
  'tan/0': one(Math.tan),
  'asin/0': one(Math.asin),
  'acos/0': one(Math.acos),
  'atan/0': one(Math.atan),
  'sinh/0': one(Math.sinh),
  'cosh/0': one(Math.cosh),
  'tanh/0': one(Math.tanh),
  'asinh/0': one(Math.asinh),
  'acosh/0': one(Math.acosh),
  'atanh/0': one(Math.atanh),
  'gamma/0': one(logGamma),
  'lgamma/0': one(logGamma),
  'lgamma_r/0': one(logGamma),
  'tgamma/0': one((value) =>
    Number.isInteger(value) && value > 0 && value < 171 ? factorial(value - 1) : Math.exp(logGamma(value)),
  ),
  'significand/0': one((value) => split(value)[0] * 2),
  'frexp/0': (_context, input) => split(numeric([input])[0] as number),
  'modf/0': (_context, input) => {
    const [value = 0] = numeric([input])
    return [value - Math.trunc(value), Math.trunc(value)]
  },
  'pow/2': two((first, second) => first ** second),
  'atan2/2': two(Math.atan2),
  'fmod/2': two((first, second) => first % second),
  'fmin/2': two(Math.min),
  'fmax/2': two(Math.max),
  'fdim/2': two((first, second) => Math.max(first - second, 0)),
  'hypot/2': two(Math.hypot),
  'copysign/2': two((first, second) => (second < 0 || Object.is(second, -0) ? -Math.abs(first) : Math.abs(first))),
  'ldexp/2': two((first, second) => first * 2 ** second),
  'scalb/2': two((first, second) => first * 2 ** second),
  'scalbln/2': two((first, second) => first * 2 ** second),
  'drem/2': two((first, second) => first - second * roundToEven(first / second)),
  'remainder/2': two((first, second) => first - second * roundToEven(first / second)),
  'fma/3': (_context, _input, first, second, third) => {
    const [x = 0, y = 0, z = 0] = numeric([first as Json, second as Json, third as Json])
    return x * y + z
  },
}

function factorial(value: number): number {
  let product = 1
  for (let factor = 2; factor <= value; factor += 1) product *= factor
  return product
}
