/** What curl sends: data, forms, files. */
import { isFsError } from '../../../../src/errors.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { joinBytes } from '../../../../src/text/join-bytes.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import type { Given } from './options.js'
import { CurlMistake } from './options.js'

export interface RequestBody {
  bytes: Bytes
  /** Absent where curl names none. */
  type?: string
  /** Also without a request of its own, `-d` is a POST. */
  method: 'POST' | 'PUT'
}

const cannotRead = () => new CurlMistake('(26) Failed to open/read local data from file/application', 26)

/** All of `-d` and its kin, joined. Undefined where none was given. */
export async function dataOf(io: ProgramIo, given: readonly Given[]): Promise<Bytes | undefined> {
  const pieces: Bytes[] = []
  for (const { name, value } of given) {
    if (!['data', 'data-ascii', 'data-binary', 'data-raw', 'data-urlencode', 'json'].includes(name)) continue
    if (pieces.length > 0 && name !== 'json') pieces.push(encodeText('&'))
    if (name === 'data-raw' || (name !== 'data-urlencode' && !value.startsWith('@'))) pieces.push(encodeText(value))
    else if (name === 'data-urlencode') pieces.push(await urlEncoded(io, value))
    else {
      const bytes = (await inputOf(io, value.slice(1))) ?? new Uint8Array()
      const isText = name === 'data' || name === 'data-ascii'
      pieces.push(isText ? bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0) : bytes)
    }
  }
  return given.some(({ name }) => /^(?:data|json)/.test(name)) ? joinBytes(pieces) : undefined
}

/** `content`, `=content`, `name=content`, `@file` and `name@file`. */
export async function urlEncoded(io: ProgramIo, value: string): Promise<Bytes> {
  const at = value.search(/[=@]/)
  if (at < 0) return encodeText(formEncoded(encodeText(value)))
  const name = value.slice(0, at)
  const rest = value.slice(at + 1)
  const bytes = value[at] === '=' ? encodeText(rest) : await inputOf(io, rest)
  if (bytes === undefined) throw new CurlMistake(`Failed to open ${rest}`, 26)
  return encodeText(`${name === '' ? '' : `${name}=`}${formEncoded(bytes)}`)
}

/** A space is a plus sign. */
function formEncoded(bytes: Bytes): string {
  return percentEncoded(bytes).replaceAll('%20', '+')
}

function percentEncoded(bytes: Bytes): string {
  let text = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    text += /[A-Za-z0-9_.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

/** A file, or standard input for `-`; undefined where it can't be read. */
export async function inputOf(io: ProgramIo, name: string): Promise<Bytes | undefined> {
  try {
    const bytes = name === '-' ? await readAll(io.stdin) : await io.fs.readFile(io.path(name))
    io.account(bytes.length)
    return bytes
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

export async function uploadOf(io: ProgramIo, file: string): Promise<RequestBody> {
  const bytes = await inputOf(io, file === '.' ? '-' : file)
  if (bytes === undefined) {
    throw new CurlMistake(
      `Can't open '${file}'!\ncurl: try 'curl --help' or 'curl --manual' for more information\ncurl: (26) Failed to open/read local data from file/application`,
      26,
    )
  }
  return { bytes, method: 'PUT' }
}

interface Part {
  name: string
  content: Bytes
  fileName?: string
  type?: string
}

/** `-F name=content`, `name=@file;type=…;filename=…` and `name=<file`. */
export async function formOf(io: ProgramIo, given: readonly Given[]): Promise<RequestBody | undefined> {
  const parts: Part[] = []
  for (const { name, value } of given) {
    if (name !== 'form' && name !== 'form-string') continue
    const equals = value.indexOf('=')
    if (equals < 0) {
      throw new CurlMistake(
        `option -F: is badly used here\ncurl: try 'curl --help' or 'curl --manual' for more information`,
      )
    }
    const key = value.slice(0, equals)
    const rest = value.slice(equals + 1)
    if (name === 'form-string' || !/^[@<]/.test(rest)) {
      const { content, type } = name === 'form-string' ? { content: rest } : attributesOf(rest)
      parts.push({ name: key, content: encodeText(content), ...(type !== undefined && { type }) })
      continue
    }
    const { content: path, type, fileName } = attributesOf(rest.slice(1))
    const bytes = await inputOf(io, path)
    if (bytes === undefined) throw cannotRead()
    const isFile = rest.startsWith('@')
    const called = fileName ?? path.split('/').at(-1) ?? path
    const typed = type ?? (isFile ? typeOfName(called) : undefined)
    parts.push({
      name: key,
      content: bytes,
      ...(isFile && { fileName: called }),
      ...(typed !== undefined && { type: typed }),
    })
  }
  return parts.length === 0 ? undefined : multipart(io, parts)
}

function attributesOf(text: string): { content: string; type?: string; fileName?: string } {
  const [content = '', ...attributes] = text.split(';')
  const found: { content: string; type?: string; fileName?: string } = { content }
  for (const attribute of attributes) {
    const [, key, value = ''] = /^\s*(type|filename|encoder|headers)=(.*)$/.exec(attribute) ?? []
    if (key === undefined) found.content += `;${attribute}`
    else if (key === 'type') found.type = value
    else if (key === 'filename') found.fileName = value.replace(/^"(.*)"$/, '$1')
    else throw new CurlMistake(`option -F: ;${key}= is not supported by this shell`)
  }
  return found
}

const types: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  htm: 'text/html',
  html: 'text/html',
  pdf: 'application/pdf',
  xml: 'application/xml',
}

function typeOfName(name: string): string {
  return types[/\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream'
}

function multipart({ random }: ProgramIo, parts: readonly Part[]): RequestBody {
  const boundary = `${'-'.repeat(24)}${Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('')}`
  const quoted = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const pieces = parts.flatMap(({ name, content, fileName, type }) => {
    const file = fileName === undefined ? '' : `; filename="${quoted(fileName)}"`
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${typed}\r\n`
    return [encodeText(head), content, encodeText('\r\n')]
  })
  pieces.push(encodeText(`--${boundary}--\r\n`))
  return { bytes: joinBytes(pieces), type: `multipart/form-data; boundary=${boundary}`, method: 'POST' }
}

/** What `-d` adds to an address with `-G`. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url
  const [, before = url, fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? []
  const joint = before.includes('?') ? (before.endsWith('?') ? '' : '&') : '?'
  return `${before}${joint}${query}${fragment}`
}
