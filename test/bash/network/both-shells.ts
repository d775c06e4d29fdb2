/** Runs scripts on the emulated shell with a network, and on this machine's bash, each in a directory of its own. */
import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { commandTree } from '../../../bash/io/command-tree.js'
import type { ShellNetwork } from '../../../bash/io/program.js'
import { readerOf } from '../../../bash/io/streams.js'
import { runScript } from '../../../bash/language/run/run-script.js'
import { shellPrograms } from '../../../bash/programs/index.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { joinBytes } from '../../../src/text/join-bytes.js'

export interface Ended {
  stdout: string
  stderr: string
  exitCode: number
  files: Record<string, string>
}

const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC', HOME: '/nowhere' }
const directory = '/srv/w'

export function versionOf(program: string): string {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', env }).split('\n')[0] ?? ''
  } catch {
    return ''
  }
}

export function onMachine(script: string, given: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-network-')))
  for (const [name, content] of Object.entries(given)) fs.writeFileSync(path.join(top, name), content)
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['-c', script],
      { cwd: top, env, timeout: 60_000, encoding: 'latin1' },
      (error, stdout, stderr) => {
        const files: Record<string, string> = {}
        for (const name of fs.readdirSync(top, { recursive: true, encoding: 'utf8' })) {
          const at = path.join(top, name)
          if (fs.lstatSync(at).isFile() && fs.realpathSync(path.dirname(at)) === path.dirname(at))
            files[name] = fs.readFileSync(at, 'latin1')
        }
        fs.rmSync(top, { recursive: true })
        resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code), files: sorted(files) })
      },
    )
  })
}

export interface OursGiven {
  network?: ShellNetwork
  given?: Readonly<Record<string, string>>
  maxAccountedBytes?: number
}

export async function onOurs(
  script: string,
  { network, given = {}, maxAccountedBytes = Infinity }: OursGiven = {},
): Promise<Ended> {
  const bytes = (content: string) => Uint8Array.from(content, (character) => character.charCodeAt(0))
  const files = memory({
    [`${directory}/.keep`]: '',
    ...Object.fromEntries(Object.entries(given).map(([name, content]) => [`${directory}/${name}`, bytes(content)])),
  })
  await files.remove(`${directory}/.keep`)
  const view = confine(files, { roots: [{ path: '/', access: 'read-write' }] })
  const append = async (at: string, data: Uint8Array) => {
    const before = await view.readFile(at).catch(() => new Uint8Array())
    await view.writeFile(at, joinBytes([before, data]))
  }
  const tree = commandTree({ ...view, append })
  const written = { stdout: '', stderr: '' }
  const writer = (stream: keyof typeof written) => ({
    async write(data: Uint8Array) {
      for (const byte of data) written[stream] += String.fromCharCode(byte)
    },
    close: async () => {},
  })
  let accounted = 0
  const { exitCode } = await runScript({
    source: script,
    cwd: directory,
    env,
    tree,
    programs: shellPrograms,
    stdin: readerOf(new Uint8Array()),
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    now: Date.now,
    random: Math.random,
    ...(network && { network }),
    step: () => {},
    account(count) {
      accounted += count
      if (accounted > maxAccountedBytes) throw new Error('too much memory')
    },
  })
  await tree.settle()
  const left: Record<string, string> = {}
  for await (const { path: at, kind } of walk(files, directory)) {
    if (kind === 'file') left[at.slice(directory.length + 1)] = latin(await files.readFile(at))
  }
  return { ...written, exitCode, files: sorted(left) }
}

function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function sorted(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)))
}
