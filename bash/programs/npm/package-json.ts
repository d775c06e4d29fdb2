/** `package.json` as npm reads and writes it. */
import { isFsError } from '../../../src/errors.js'
import { join } from '../../../src/fs/path.js'
import { decodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { NpmFailure } from './npm-failure.js'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export interface Package {
  directory: string
  path: string
  content: JsonObject
  /** As it was read. */
  text: string
}

const utf8 = new TextDecoder()

/** `why` begins the message where there is none. */
export async function readPackage(
  io: ProgramIo,
  directory: string,
  why = 'Could not read package.json: Error: ',
): Promise<Package> {
  const path = join(directory, 'package.json')
  let text: string
  try {
    text = utf8.decode(await io.fs.readFile(path))
  } catch (error) {
    if (!isFsError(error)) throw error
    throw missing(path, why)
  }
  return { directory, path, content: parsed(text), text }
}

/** Undefined where there is none, or one that can't be read. */
export async function packageIfAny(io: ProgramIo, directory: string): Promise<Package | undefined> {
  try {
    return await readPackage(io, directory)
  } catch (error) {
    if (error instanceof NpmFailure) return undefined
    throw error
  }
}

/** In the form that it has: its indentation and line ends, or one line. */
export async function writePackage(io: ProgramIo, { path, text }: Package, content: JsonObject): Promise<void> {
  const isEmpty = text === '' || /^(?:\{\}|\[\])(?:\r?\n)*$/.test(text)
  const [, newlines = '', indent = ''] = isEmpty ? ['', '\n', '  '] : (/^\s*[{[]((?:\r?\n)+)([\s\t]*)/.exec(text) ?? [])
  const made = `${JSON.stringify(content, null, indent)}\n`.replaceAll('\n', newlines)
  if (made.trim() === text.trim()) return
  await io.fs.writeFile(path, new TextEncoder().encode(made))
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Commands by their names: those of `scripts` that are text. */
export function scriptsOf({ content }: Package): Map<string, string> {
  const all = isObject(content.scripts) ? Object.entries(content.scripts) : []
  return new Map(all.flatMap(([name, command]) => (typeof command === 'string' ? [[name, command] as const] : [])))
}

/** `name@version`. */
export function idOf({ content: { name, version } }: Package): string | undefined {
  return typeof name === 'string' && typeof version === 'string' ? `${name}@${version}` : undefined
}

/** Its programs: a path by name. */
export function binsOf({ content: { bin, name } }: Package): Map<string, string> {
  if (typeof bin === 'string') return new Map(typeof name === 'string' ? [[name.replace(/^@[^/]*\//, ''), bin]] : [])
  const all = isObject(bin) ? Object.entries(bin) : []
  return new Map(all.flatMap(([key, path]) => (typeof path === 'string' ? [[key, path] as const] : [])))
}

function missing(path: string, why: string): NpmFailure {
  const summary = `${why}ENOENT: no such file or directory, open '${path}'`
  const detail = 'This is related to npm not being able to find a file.'
  return new NpmFailure(
    [
      ['code', 'ENOENT'],
      ['syscall', 'open'],
      ['path', path],
      ['errno', '-2'],
      ['enoent', summary],
      ['enoent', `${detail}\n`],
    ],
    // The number of the error of the system is the status: -2 in a byte.
    { status: 254, code: 'ENOENT', summary, detail },
  )
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as JsonObject
  } catch (error) {
    const summary = `Invalid package.json: JSONParseError: ${explained((error as Error).message, text)}`
    const detail = 'Failed to parse JSON data.\nNote: package.json must be actual JSON, not just JavaScript.'
    throw new NpmFailure(
      [
        ['code', 'EJSONPARSE'],
        ['JSON.parse', summary],
        ['JSON.parse', detail],
      ],
      { code: 'EJSONPARSE', summary, detail },
    )
  }
}

const shown = 20

/** The place of the fault with what is around it. */
function explained(message: string, text: string): string {
  if (text === '') return `${message} while parsing empty string`
  const plain = message
    .replace(/ \(line \d+ column \d+\)/, '')
    .replace(/^Unexpected token '?(.)'?(,)? /i, (_, character: string, comma = '') => {
      const code = character.charCodeAt(0).toString(16).toUpperCase()
      return `Unexpected token ${JSON.stringify(character)} (0x${code.length % 2 ? '0' : ''}${code})${comma} `
    })
  const at = / position\s+(\d+)/i.exec(plain)?.[1]
  const index = at !== undefined ? Number(at) : /^Unexpected end of JSON/i.test(plain) ? text.length - 1 : undefined
  if (index === undefined) return `${plain} while parsing '${text.slice(0, shown * 2)}'`
  const start = Math.max(0, index - shown)
  const end = Math.min(text.length, index + shown)
  const slice = `${start > 0 ? '...' : ''}${text.slice(start, end)}${end === text.length ? '' : '...'}`
  return `${plain} while parsing ${slice === text ? '' : 'near '}${JSON.stringify(slice)}`
}

/** Bytes of a file as text of the shell, or nothing. */
export async function textIfAny(io: ProgramIo, path: string): Promise<string | undefined> {
  try {
    return decodeText(await io.fs.readFile(path))
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}
