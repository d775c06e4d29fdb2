/** Prints the prime factors of numbers. */
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'

export const factor = defineProgram({
  name: 'factor',
  usage: '[NUMBER]...',
  options: {},
  async run(io, { operands }) {
    const words =
      operands.length > 0
        ? operands
        : decodeText(await readAll(io.stdin))
            .split(/\s+/)
            .filter(Boolean)
    let status = 0
    for (const word of words) {
      const text = word.trim()
      if (!/^\+?\d+$/.test(text)) {
        await io.error(`‘${word}’ is not a valid positive integer`)
        status = 1
        continue
      }
      const number = BigInt(text.replace('+', ''))
      const factors = primeFactors(number, io)
      await io.stdout.write(`${number}:${factors.map((prime) => ` ${prime}`).join('')}\n`)
    }
    return status
  },
})

const smallLimit = 100_000n

function primeFactors(number: bigint, io: ProgramIo): bigint[] {
  const factors: bigint[] = []
  let rest = number
  for (let divisor = 2n; divisor <= smallLimit && divisor * divisor <= rest; divisor += divisor === 2n ? 1n : 2n) {
    while (rest % divisor === 0n) {
      factors.push(divisor)
      rest /= divisor
    }
  }
  const large = rest > 1n ? split(rest, io) : []
  return [...factors, ...large.sort((one, other) => (one < other ? -1 : 1))]
}

function split(number: bigint, io: ProgramIo): bigint[] {
  if (number === 1n) return []
  if (number < smallLimit * smallLimit || isPrime(number)) return [number]
  const divisor = rho(number, io)
  return [...split(divisor, io), ...split(number / divisor, io)]
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** Miller and Rabin's test; these bases are certain for all numbers below 3.3e24. */
function isPrime(number: bigint): boolean {
  let odd = number - 1n
  let twos = 0
  while (odd % 2n === 0n) {
    odd /= 2n
    twos += 1
  }
  for (const base of [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n]) {
    let value = power(base, odd, number)
    if (value === 1n || value === number - 1n) continue
    let isWitness = true
    for (let count = 1; count < twos && isWitness; count += 1) {
      value = (value * value) % number
      if (value === number - 1n) isWitness = false
    }
    if (isWitness) return false
  }
  return true
}

/** Pollard's method: a divisor of a number that is not prime. */
function rho(number: bigint, io: ProgramIo): bigint {
  for (let increment = 1n; ; increment += 1n) {
    let slow = 2n
    let fast = 2n
    let divisor = 1n
    while (divisor === 1n) {
      io.step()
      slow = (slow * slow + increment) % number
      fast = (fast * fast + increment) % number
      fast = (fast * fast + increment) % number
      divisor = greatestCommonDivisor(slow > fast ? slow - fast : fast - slow, number)
    }
    if (divisor !== number) return divisor
  }
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestCommonDivisor(other, one % other)
}
