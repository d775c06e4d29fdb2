/** Small programs that scripts rely on. */
import { isFsError } from '../../../errors.js'
import { join } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { type Call, CommandError, command, reason } from './command.js'

export const uname = (files: RemoteFiles) =>
  command('uname', files, ({ args }) => {
    const facts: Record<string, string> = {
      s: 'Linux',
      n: 'localhost',
      r: 'polyfs',
      v: 'emulated',
      m: 'wasm',
      o: 'polyfs',
    }
    const letters = args.join('').replaceAll('-', '') || 's'
    const asked = letters.includes('a') ? Object.keys(facts) : letters.split('')
    return { stdout: `${asked.map((letter) => facts[letter] ?? '').join(' ')}\n` }
  })

export const id = (files: RemoteFiles) =>
  command('id', files, ({ args, env }) => {
    const name = env.get('USER') ?? 'user'
    const option = args.join('')
    if (option.includes('n')) return { stdout: `${name}\n` }
    if (/^-[ugG]/.test(option)) return { stdout: '1000\n' }
    return { stdout: `uid=1000(${name}) gid=1000(${name}) groups=1000(${name})\n` }
  })

export const realpath = (files: RemoteFiles) =>
  command('realpath', files, async ({ args, path }) => {
    const given = args.filter((arg) => !arg.startsWith('-'))
    if (given.length === 0) throw new CommandError('missing operand')
    const errors: string[] = []
    const found: string[] = []
    for (const name of given) {
      try {
        found.push(`${await files.realPath(path(name))}\n`)
      } catch (error) {
        if (!isFsError(error)) throw error
        errors.push(`realpath: ${name}: ${reason(error)}\n`)
      }
    }
    return { stdout: found.join(''), stderr: errors.join(''), exitCode: errors.length > 0 ? 1 : 0 }
  })

export const mktemp = (files: RemoteFiles) =>
  command('mktemp', files, async ({ args, path }) => {
    const template = args.find((arg) => !arg.startsWith('-')) ?? 'tmp.XXXXXXXXXX'
    const random = crypto.getRandomValues(new Uint8Array(16))
    let next = 0
    const name = template.replace(/X{3,}$/, (marks) =>
      marks.replaceAll('X', () => letters[(random[next++] ?? 0) % letters.length] ?? 'x'),
    )
    if (name === template) throw new CommandError(`too few X's in template '${template}'`)
    const inTmp = !template.includes('/') && (args.includes('-t') || !args.some((arg) => arg === template))
    const at = inTmp ? join('/tmp', name) : path(name)
    if (args.some((arg) => /^-[a-z]*d/.test(arg))) await files.makeDir(at)
    else await files.writeFile(at, new Uint8Array(), { exclusive: true, mode: 0o600 })
    return { stdout: `${inTmp ? at : name}\n` }
  })

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** How much output `yes` produces, since the commands of a pipe run one after another here. */
const yesBytes = 1 << 20

export const yes = (files: RemoteFiles) =>
  command('yes', files, ({ args }) => {
    const line = `${args.join(' ') || 'y'}\n`
    return { stdout: line.repeat(Math.ceil(yesBytes / line.length)), exitCode: 141 }
  })

export const xxd = (files: RemoteFiles) =>
  command('xxd', files, async (call) => {
    const { args } = call
    const given = args.filter((arg, index) => !arg.startsWith('-') && !['-l', '-c'].includes(args[index - 1] ?? ''))
    const after = (option: string) => args[args.indexOf(option) + 1]
    const limit = args.includes('-l') ? Number(after('-l')) : Infinity
    const bytes = (await inputOf(call, given[0])).subarray(0, limit)
    if (args.includes('-p')) return { stdout: `${(hex(bytes).match(/.{1,60}/g) ?? []).join('\n')}\n` }
    const width = args.includes('-c') ? Number(after('-c')) : 16
    const rows: string[] = []
    for (let at = 0; at < bytes.length; at += width) {
      const row = bytes.subarray(at, at + width)
      const pairs = (hex(row).match(/.{1,4}/g) ?? []).join(' ').padEnd(Math.ceil(width * 2.5) - 1)
      const text = Array.from(row, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
      rows.push(`${at.toString(16).padStart(8, '0')}: ${pairs}  ${text}\n`)
    }
    return { stdout: rows.join('') }
  })

function hex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Reads the named file, or standard input. */
export async function inputOf({ files, path, stdin }: Call, name: string | undefined): Promise<Bytes> {
  return name === undefined || name === '-' ? stdin() : files.readFile(path(name))
}
