/** `gzip`, `gunzip`, `zcat` and `tar`, based on the platform's compression streams. */

import { basename } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import { joinBytes } from '../../../text/join-bytes.js'
import { exists } from '../exists.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { type Call, CommandError, command, type Outcome } from './command.js'
import { inputOf } from './small-commands.js'
import { collectFrom, unpackInto } from './tar-files.js'
import { packTar, unpackTar } from './tar-format.js'

export const gzip = (files: RemoteFiles) =>
  command('gzip', files, (call) => {
    const unpacks = call.args.some((arg) => /^-[a-z]*d/.test(arg) || arg === '--decompress')
    return each(call, unpacks)
  })
export const gunzip = (files: RemoteFiles) => command('gunzip', files, (call) => each(call, true))
export const zcat = (files: RemoteFiles) =>
  command('zcat', files, (call) => each({ ...call, args: ['-c', ...call.args] }, true))

async function each(call: Call, unpacks: boolean): Promise<Outcome> {
  const { args, files, path } = call
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '-').join('')
  const given = args.filter((arg) => !arg.startsWith('-') || arg === '-')
  const change = unpacks ? inflate : deflate
  if (given.length === 0 || flags.includes('c')) {
    const pieces: Bytes[] = []
    for (const name of given.length === 0 ? ['-'] : given) {
      const room = call.maxBytes - pieces.reduce((sum, piece) => sum + piece.length, 0)
      pieces.push(await change(await inputOf(call, name), room))
    }
    return { stdout: joinBytes(pieces) }
  }
  for (const name of given) {
    if (unpacks && !name.endsWith('.gz')) throw new CommandError(`${name}: unknown suffix -- ignored`, 2)
    const to = unpacks ? path(name).slice(0, -'.gz'.length) : `${path(name)}.gz`
    const bytes = await change(await files.readFile(path(name)), call.maxBytes)
    if (!flags.includes('f') && (await exists(files, to))) throw new CommandError(`${basename(to)} already exists`, 2)
    await files.writeFile(to, bytes)
    if (!flags.includes('k')) await files.remove(path(name))
  }
  return {}
}

export const tar = (files: RemoteFiles) =>
  command('tar', files, async (call) => {
    const options = parse(call.args)
    const { mode, archive, gzipped, verbose } = options
    const at = options.directory === undefined ? call.cwd : call.path(options.directory)
    if (mode === 'c') {
      if (options.names.length === 0) throw new CommandError('Cowardly refusing to create an empty archive', 2)
      const entries = await collectFrom(files, at, { names: options.names, maxBytes: call.maxBytes })
      const packed = packTar(entries)
      const bytes = gzipped ? await deflate(packed, call.maxBytes) : packed
      const listing = verbose ? entries.map(({ name }) => `${name}\n`).join('') : ''
      if (archive === undefined || archive === '-') return { stdout: bytes, stderr: listing }
      await files.writeFile(call.path(archive), bytes)
      return { stdout: listing }
    }
    const raw = await inputOf(call, archive)
    const isGzipped = raw[0] === 0x1f && raw[1] === 0x8b
    const all = unpackTar(isGzipped ? await inflate(raw, call.maxBytes) : raw)
    const chosen = all.filter(({ name }) => options.names.length === 0 || options.names.some((one) => isAt(one, name)))
    if (mode === 't') return { stdout: chosen.map(({ name }) => `${name}\n`).join('') }
    const refused = await unpackInto(files, at, chosen)
    const stderr = refused.map((name) => `tar: ${name}: leads outside; skipped\n`).join('')
    return {
      stdout: verbose ? chosen.map(({ name }) => `${name}\n`).join('') : '',
      stderr,
      exitCode: refused.length > 0 ? 2 : 0,
    }
  })

function isAt(wanted: string, name: string): boolean {
  const plain = (text: string) => text.replace(/^\.\//, '').replace(/\/$/, '')
  return plain(name) === plain(wanted) || plain(name).startsWith(`${plain(wanted)}/`)
}

function parse(args: readonly string[]) {
  const long: Record<string, string> = {
    '--create': 'c',
    '--extract': 'x',
    '--get': 'x',
    '--list': 't',
    '--gzip': 'z',
    '--verbose': 'v',
  }
  const names: string[] = []
  let [mode, gzipped, verbose] = ['', false, false]
  let archive: string | undefined
  let directory: string | undefined
  const rest = [...args]
  for (let index = 0; rest.length > 0; index += 1) {
    const arg = rest.shift() as string
    const value = /^--(?:file|directory)=(.*)$/.exec(arg)?.[1]
    if (value !== undefined) {
      if (arg.startsWith('--file')) archive = value
      else directory = value
      continue
    }
    const isBundle = (arg.startsWith('-') && arg !== '-') || (index === 0 && /^[cxtzvfC]+$/.test(arg))
    if (!isBundle) {
      names.push(arg)
      continue
    }
    for (const letter of long[arg] ?? arg.replace(/^-/, '')) {
      if ('cxt'.includes(letter)) mode = letter
      else if (letter === 'z') gzipped = true
      else if (letter === 'v') verbose = true
      else if (letter === 'f') archive = rest.shift()
      else if (letter === 'C') directory = rest.shift()
      else if (!'pokmh'.includes(letter))
        throw new CommandError(`unknown option ${arg}; there are c, x, t, z, v, f and C`, 64)
    }
  }
  if (mode === '') throw new CommandError('You must specify one of -c, -x and -t', 2)
  return {
    mode,
    archive,
    gzipped: gzipped || /\.t?gz$/.test(mode === 'c' ? (archive ?? '') : ''),
    verbose,
    directory,
    names,
  }
}

function deflate(bytes: Bytes, maxBytes: number): Promise<Bytes> {
  return through(bytes, new CompressionStream('gzip'), maxBytes)
}

async function inflate(bytes: Bytes, maxBytes: number): Promise<Bytes> {
  try {
    return await through(bytes, new DecompressionStream('gzip'), maxBytes)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError('not in gzip format')
  }
}

/** Fails when the result exceeds `maxBytes`. */
async function through(
  bytes: Bytes,
  stream: CompressionStream | DecompressionStream,
  maxBytes: number,
): Promise<Bytes> {
  const writer = stream.writable.getWriter()
  // A failure surfaces on the reading side.
  const written = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close())
  written.catch(() => {})
  const reader = stream.readable.getReader()
  const pieces: Bytes[] = []
  let total = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) break
    total += value.length
    if (total > maxBytes) throw new CommandError(`more than ${maxBytes} bytes`)
    pieces.push(value)
  }
  await written
  return joinBytes(pieces)
}
