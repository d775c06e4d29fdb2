/**
 * The functions of `bc -l`. GNU's are programs in bc's own arithmetic, which cuts off each result at the current scale, so their last
 * digits depend on every step: these take the same steps, with the same scales.
 */
import {
  add,
  compare,
  type Decimal,
  digitCount,
  divide,
  integer,
  isZero,
  multiply,
  negated,
  one,
  parseNumber,
  power10,
  raise,
  squareRoot,
  subtract,
  truncated,
  withScale,
} from './decimal.js'

const number = (text: string) => parseNumber(text, 10)
const two = integer(2)
const half = number('.5')
const fifth = number('.2')

/** bc's arithmetic at one scale. */
interface AtScale {
  times(left: Decimal, right: Decimal): Decimal
  over(left: Decimal, right: Decimal): Decimal
  root(value: Decimal): Decimal
}

function at(scale: number): AtScale {
  return {
    times: (left, right) => multiply(left, right, scale),
    over: (left, right) => divide(left, right, scale) as Decimal,
    root: (value) => squareRoot(value, scale) as Decimal,
  }
}

/** Also what scales are set to: a number cut off. */
function whole(value: Decimal): number {
  return Number(truncated(value))
}

/** Adds terms until they vanish at their scale. */
function series(first: Decimal, next: (index: number) => Decimal, { from, by }: { from: number; by: number }): Decimal {
  let sum = first
  for (let index = from; ; index += by) {
    const term = next(index)
    if (isZero(term)) return sum
    sum = add(sum, term)
  }
}

const isNegative = ({ digits }: Decimal) => digits < 0n

/** The series of powers over factorials for a number of at most 1, squared as often as that was halved. */
function exponential(given: Decimal, scale: number): Decimal {
  const size = isNegative(given) ? negated(given) : given
  const working = whole(add(integer(6 + scale), multiply(number('.44'), size, scale)))
  let reduced = size
  let halvings = 0
  for (; compare(reduced, one) > 0; halvings += 1) reduced = at(size.scale + 1 + halvings).over(reduced, two)
  const { times, over } = at(working)
  let power = reduced
  let factorial = one
  let result = series(
    add(one, reduced),
    (index) => {
      power = times(power, reduced)
      factorial = times(factorial, integer(index))
      return over(power, factorial)
    },
    { from: 2, by: 1 },
  )
  for (; halvings > 0; halvings -= 1) result = times(result, result)
  return isNegative(given) ? at(scale).over(one, result) : at(scale).over(result, one)
}

/** Roots bring the number near 1, where twice the odd powers of (x-1)/(x+1) are added. */
function logarithm(given: Decimal, scale: number): Decimal {
  if (given.digits <= 0n) return at(scale).over({ digits: 1n - power10(scale), scale: 0 }, one)
  const { times, over, root } = at(scale + 6)
  let reduced = given
  let factor = two
  while (compare(reduced, two) >= 0 || compare(reduced, half) <= 0) {
    factor = times(factor, two)
    reduced = root(reduced)
  }
  const quotient = over(subtract(reduced, one), add(reduced, one))
  const square = times(quotient, quotient)
  let power = quotient
  const sum = series(
    quotient,
    (index) => {
      power = times(power, square)
      return over(power, integer(index))
    },
    { from: 3, by: 2 },
  )
  return at(scale).over(times(factor, sum), one)
}

/** An eighth of the circle, and the arctangent of a fifth: known for small scales. */
const known = [
  {
    value: one,
    digits: '.785398163397448309615660845819875721049292349843776455243736',
  },
  {
    value: fifth,
    digits: '.197395559849880758370049765194790293447585103787852101517688',
  },
]
const knownScales = [25, 40, 60]

function arctangent(given: Decimal, scale: number): Decimal {
  const sign = integer(isNegative(given) ? -1 : 1)
  const size = isNegative(given) ? negated(given) : given
  const enough = knownScales.find((digits) => scale <= digits)
  const found = known.find(({ value }) => compare(value, size) === 0)
  if (enough !== undefined && found !== undefined) {
    return at(scale).over(withScale(number(found.digits), enough), sign)
  }
  const ofFifth = compare(size, fifth) > 0 ? arctangent(fifth, scale + 5) : integer(0)
  const { times, over } = at(scale + 3)
  let reduced = size
  let fifths = 0
  for (; compare(reduced, fifth) > 0; fifths += 1) {
    reduced = over(subtract(reduced, fifth), add(one, times(reduced, fifth)))
  }
  const square = times(negated(reduced), reduced)
  let power = reduced
  const sum = series(
    reduced,
    (index) => {
      power = times(power, square)
      return over(power, integer(index))
    },
    { from: 3, by: 2 },
  )
  return at(scale).over(add(at(scale).times(integer(fifths), ofFifth), sum), sign)
}

function sine(given: Decimal, scale: number): Decimal {
  const eighth = arctangent(one, whole(add(multiply(number('1.1'), integer(scale), scale), two)))
  const size = isNegative(given) ? negated(given) : given
  const units = at(0)
  const halfTurns = units.over(add(units.over(size, eighth), two), integer(4))
  const rest = subtract(size, units.times(units.times(integer(4), halfTurns), eighth))
  const reduced = halfTurns.digits % 2n === 0n ? rest : negated(rest)
  const { times, over } = at(scale + 2)
  const square = times(negated(reduced), reduced)
  let term = reduced
  const sum = series(
    reduced,
    (index) => {
      term = times(term, over(square, integer(index * (index - 1))))
      return term
    },
    { from: 3, by: 2 },
  )
  return at(scale).over(isNegative(given) ? negated(sum) : sum, one)
}

function cosine(given: Decimal, scale: number): Decimal {
  const working = whole(multiply(integer(scale), number('1.2'), scale))
  const quarter = multiply(arctangent(one, working), two, working)
  return at(scale).over(sine(add(given, quarter), working), one)
}

/** The Bessel function of whole order. */
function bessel(order: Decimal, given: Decimal, scale: number): Decimal {
  const size = truncated(order) < 0n ? -truncated(order) : truncated(order)
  const working = whole(multiply(number('1.5'), integer(scale), scale))
  let factorial = 1n
  for (let index = 2n; index <= size; index += 1n) factorial *= index
  const first = at(working)
  const power = raise(given, size, working) as Decimal
  const factor = first.over(first.over(power, { digits: 2n ** size, scale: 0 }), { digits: factorial, scale: 0 })
  const square = first.over(first.times(negated(given), given), integer(4))
  const { times, over } = at(working + digitCount(factor) - factor.scale)
  let term = one
  const sum = series(
    one,
    (index) => {
      term = over(over(times(term, square), integer(index)), { digits: size + BigInt(index), scale: 0 })
      return term
    },
    { from: 1, by: 1 },
  )
  const isOdd = truncated(order) < 0n && size % 2n === 1n
  const { times: timesAtEnd, over: overAtEnd } = at(scale)
  return overAtEnd(timesAtEnd(isOdd ? negated(factor) : factor, sum), one)
}

export const mathLibrary: Readonly<Record<string, (args: readonly Decimal[], scale: number) => Decimal | undefined>> = {
  e: ([value], scale) => value && exponential(value, scale),
  l: ([value], scale) => value && logarithm(value, scale),
  s: ([value], scale) => value && sine(value, scale),
  c: ([value], scale) => value && cosine(value, scale),
  a: ([value], scale) => value && arctangent(value, scale),
  j: ([order, value], scale) => order && value && bessel(order, value, scale),
}
