/** The command line of the protocol's inspector: one process for each request. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')
const program = path.join(path.dirname(manifest), 'clients/launcher/build/index.js')

export async function connect({ command, args, url }) {
  const server = url === undefined ? [command, ...args] : [url, '--transport', 'http']
  const ask = async (...words) => {
    const given = [program, '--cli', ...server, '--method', ...words]
    const { stdout } = await run(process.execPath, given, { maxBuffer: 2 ** 26 }).catch((error) => {
      // A result that is an error ends the program with a code of its own.
      if (error.stdout) return error
      throw error
    })
    return JSON.parse(stdout)
  }
  return {
    names: async () => (await ask('tools/list')).tools.map(({ name }) => name),
    call: (name, input) =>
      ask('tools/call', '--tool-name', name, ...Object.entries(input).flatMap((one) => ['--tool-arg', one.join('=')])),
    close: () => {},
  }
}
