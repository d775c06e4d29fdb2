/** The seed of a run: which cases a default run takes, and what generated ones are made from. */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const seeds = 2 ** 32

/** From the commit, so that a run can be repeated and the next commit meets other cases. Without git there is only one. */
export function seedOfCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(0, 8), 16) : 0
}

export function newSeed() {
  return randomInt(seeds)
}

/** As it is printed and given: eight hexadecimal digits. Undefined for anything else. */
export function parseSeed(text) {
  return /^[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) : undefined
}

export function printSeed(seed) {
  return seed.toString(16).padStart(8, '0')
}
