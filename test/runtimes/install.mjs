/** Other JavaScript runtimes and large packages, from npm, in a cache outside the checkout. Node only for Linux on x64 and arm64, where its packages have a binary. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cached, npm } from '../npm-cache.mjs'

const node = `node-linux-${process.arch}`

/** By name: the package, the program in it, and the arguments that make it run a script with all rights. */
export const runtimes = {
  'Node 22': { package: `${node}@22`, program: `${node}/bin/node`, args: [] },
  'Node 24': { package: `${node}@24`, program: `${node}/bin/node`, args: [] },
  'Node 26': { package: `${node}@26`, program: `${node}/bin/node`, args: [] },
  Bun: { package: 'bun@1', program: '.bin/bun', args: ['run'] },
  Deno: { package: 'deno@2', program: '.bin/deno', args: ['run', '--allow-all', '--no-prompt'] },
}

/**
 * The command line that starts a runtime, which is installed if need be.
 *
 * @param {keyof typeof runtimes} name
 * @returns {Promise<[string, ...string[]]>}
 */
export async function runtime(name) {
  const { package: spec, program, args } = runtimes[name]
  return [await packagedProgram(spec, program), ...args]
}

/**
 * The path of a program in a package, which is installed if need be.
 *
 * @param {string} spec
 * @param {string} program
 * @param {readonly string[]} options of npm
 */
export async function packagedProgram(spec, program, options = []) {
  return join(await packagesWith(spec, options), program)
}

/**
 * The `node_modules` that has a package, which is installed if need be.
 *
 * @param {string} spec
 * @param {readonly string[]} options of npm
 * @returns {Promise<string>}
 */
export async function packagesWith(spec, options = []) {
  const place = await cached(`polyfs-test-runtimes/${spec.replace('@', '-')}`, async (directory) => {
    await writeFile(join(directory, 'package.json'), '{ "private": true }')
    await npm(['install', ...options, spec], directory)
  })
  return join(place, 'node_modules')
}
