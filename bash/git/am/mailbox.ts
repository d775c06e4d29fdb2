/** Mails with patches, as `git format-patch` writes them and mail programs pass them on. */
import { decodeText, encodeText } from '../../io/byte-text.js'

export interface PatchMail {
  name: string
  email: string
  date: string
  subject: string
  body: string
  /** What follows the message: the separator, statistics and the patch itself. */
  patch: string
}

export interface MailRules {
  /** The subject as it is. */
  keepsSubject: boolean
  /** Of what stands in brackets only what has the word PATCH goes. */
  keepsOtherBrackets: boolean
}

const fromLine = /^From .* \d\d:\d\d:\d\d \d{4}\r?$/
const headerLine = /^[!-9;-~]+:(?:[ \t]|$)/

/** The mails of a text; undefined when it is neither a mailbox nor a mail. */
export function splitMailbox(text: string): string[] | undefined {
  const lines = text.split(/(?<=\n)/)
  if (fromLine.test((lines[0] ?? '').trimEnd())) {
    const mails: string[] = []
    for (const line of lines) {
      if (fromLine.test(line.trimEnd())) mails.push('')
      mails.push(`${mails.pop()}${line}`)
    }
    return mails
  }
  const start = lines.findIndex((line) => line.trim() !== '')
  const isMail = lines.slice(start, start + 3).some((line) => /^(From|Date|Subject):/i.test(line))
  return start !== -1 && isMail ? [lines.slice(start).join('')] : undefined
}

export function readMail(text: string, rules: MailRules): PatchMail {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const { headers, end } = readHeaders(lines, fromLine.test(lines[0] ?? '') ? 1 : 0)
  const content = decodedBody(lines.slice(end).join('\n'), headers.get('content-transfer-encoding') ?? '')
  const own = content.split('\n')
  // Headers at the beginning of the text take the place of those above it.
  const first = own.findIndex((line) => line.trim() !== '')
  if (first !== -1 && /^(From|Subject|Date):/i.test(own[first] as string)) {
    const inBody = readHeaders(own, first)
    for (const [name, value] of inBody.headers) headers.set(name, value)
    own.splice(0, inBody.end)
  }
  const at = own.findIndex((line) => /^---(?:\s|$)/.test(line) || /^diff -/.test(line) || /^Index: /.test(line))
  const message = at === -1 ? own : own.slice(0, at)
  return {
    ...author(decodedWords(headers.get('from') ?? '')),
    date: headers.get('date') ?? '',
    subject: plainSubject(decodedWords(headers.get('subject') ?? ''), rules),
    body: message.join('\n'),
    patch: at === -1 ? '' : own.slice(at).join('\n'),
  }
}

/** Names in lower case; lines that begin with a space go on. */
function readHeaders(lines: readonly string[], start: number): { headers: Map<string, string>; end: number } {
  const headers = new Map<string, string>()
  let last: string | undefined
  let at = start
  for (; at < lines.length; at += 1) {
    const line = lines[at] as string
    if (line === '') return { headers, end: at + 1 }
    if (/^[ \t]/.test(line) && last !== undefined) {
      headers.set(last, `${headers.get(last)} ${line.trim()}`)
      continue
    }
    if (!headerLine.test(line)) break
    const colon = line.indexOf(':')
    last = line.slice(0, colon).toLowerCase()
    headers.set(last, line.slice(colon + 1).trim())
  }
  return { headers, end: at }
}

function author(from: string): { name: string; email: string } {
  const [, name = '', email] = /^(.*?)\s*<([^>]*)>/.exec(from) ?? []
  if (email === undefined) {
    const [, address = '', comment = ''] = /^(\S+)\s*(?:\((.*)\))?$/.exec(from) ?? []
    return { name: comment === '' ? address : comment, email: address }
  }
  const plain = name.startsWith('"') ? name.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1') : name
  return { name: plain === '' ? email : plain, email }
}

/** Without `Re:` and what stands in brackets at the beginning. */
function plainSubject(given: string, { keepsSubject, keepsOtherBrackets }: MailRules): string {
  let subject = given.replaceAll(/\s+/g, ' ').trim()
  if (keepsSubject) return subject
  let kept = ''
  for (;;) {
    const [prefix] = /^(?:[Rr][Ee]:|[\s:]+|\[[^\]]*\])/.exec(subject) ?? []
    if (prefix === undefined) return `${kept}${subject}`.trim()
    if (keepsOtherBrackets && prefix.startsWith('[') && !prefix.includes('PATCH')) kept += `${prefix} `
    subject = subject.slice(prefix.length)
  }
}

/** Words of another character set (RFC 2047). */
function decodedWords(text: string): string {
  const joined = text.replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
  return joined.replaceAll(
    /=\?([^?]+)\?([bBqQ])\?([^?]*)\?=/g,
    (whole, charset: string, kind: string, word: string) => {
      const bytes = /^q$/i.test(kind) ? quotedBytes(word.replaceAll('_', ' ')) : base64Bytes(word)
      if (bytes === undefined) return whole
      return /^(utf-?8|us-ascii)$/i.test(charset) ? decodeText(bytes) : latinText(bytes, charset, whole)
    },
  )
}

function latinText(bytes: Uint8Array, charset: string, whole: string): string {
  return /^iso-8859-1$/i.test(charset) ? Array.from(bytes, (byte) => String.fromCharCode(byte)).join('') : whole
}

function decodedBody(text: string, encoding: string): string {
  if (/^quoted-printable$/i.test(encoding)) return decodeText(quotedBytes(text.replaceAll(/=[ \t]*\n/g, '')))
  if (!/^base64$/i.test(encoding)) return text
  const bytes = base64Bytes(text.replaceAll(/\s/g, ''))
  return bytes === undefined ? text : decodeText(bytes)
}

function quotedBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encodeText(text)
  const result: number[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = bytes[at] === 61 ? String.fromCharCode(...bytes.subarray(at + 1, at + 3)) : ''
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      result.push(Number.parseInt(hex, 16))
      at += 2
    } else result.push(bytes[at] as number)
  }
  return Uint8Array.from(result)
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
