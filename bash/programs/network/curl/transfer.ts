/** One address: its requests, redirects, authentication and cookies, until an answer or a failure. */

import type { Bytes } from '../../../../src/fs/types.js'
import type { NetworkAnswer } from '../../../../src/network/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import type { CookieJar } from '../cookies.js'
import { exchange, type Failure, headerOf, howAllowed, isNumbered, isOffline } from '../exchange.js'
import type { RequestBody } from './request-body.js'

export interface Plan {
  url: URL
  method: string | undefined
  /** As given with `-H`. */
  headers: readonly string[]
  body: RequestBody | undefined
  isHead: boolean
  user?: string
  bearer?: string
  agent: string
  referer: { value: string; isAuto: boolean }
  range?: string
  isCompressed: boolean
  jar: CookieJar | undefined
  /** Those of `-b name=value`. */
  cookies: string
  follows: boolean
  isTrusted: boolean
  maxRedirects: number
  /** Of the codes whose POST stays one. */
  keepsPost: ReadonlySet<number>
  timeoutMs?: number
}

/** All that is known when it has ended. */
export interface Transfer {
  given: string
  number: number
  url: URL | undefined
  method: string
  status: number
  message: string
  /** Beside the message: how it could be allowed. */
  hint: string
  last: NetworkAnswer | undefined
  /** Where the last answer leads, when that was not followed. */
  next: string | undefined
  redirects: number
  exchanges: number
  bodyBytes: number
  headerBytes: number
  requestBytes: number
  uploadBytes: number
  elapsedMs: number
  referer: string
  file: string | undefined
  isRetryable: boolean
}

export interface TransferEvents {
  sent(method: string, url: URL, headers: ReadonlyArray<readonly [string, string]>): Promise<void>
  answered(answer: NetworkAnswer, url: URL): Promise<void>
}

export async function transferOne(
  io: ProgramIo,
  plan: Plan,
  transfer: Transfer,
  events: TransferEvents,
): Promise<void> {
  const begun = io.clock.elapsed()
  const { isHead } = plan
  let { url, method, body } = plan
  let referer = plan.referer.value
  const first = url
  for (;;) {
    const isPost = body?.method === 'POST'
    const verb = method ?? (isHead ? 'HEAD' : (body?.method ?? 'GET'))
    const isHome = plan.isTrusted || url.origin === first.origin
    const headers = headersOf(plan, { url, body, isHome, referer })
    transfer.url = url
    transfer.method = verb
    transfer.referer = referer
    transfer.exchanges += 1
    transfer.uploadBytes = body?.bytes.length ?? 0
    const host = [['Host', url.host] as const]
    transfer.requestBytes +=
      `${verb} ${url.pathname}${url.search} HTTP/1.1\r\n\r\n`.length + sizeOf([...host, ...headers])
    await events.sent(verb, url, headers)
    const spent = io.clock.elapsed() - begun
    const timeoutMs = plan.timeoutMs === undefined ? undefined : Math.max(1, plan.timeoutMs - spent)
    const outcome = await exchange(io, {
      method: verb,
      url: url.href,
      headers,
      ...(body && { body: body.bytes }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    transfer.elapsedMs = io.clock.elapsed() - begun
    if ('failure' in outcome) {
      fail(transfer, outcome.failure, url)
      transfer.hint = howAllowed(io, outcome.failure, url, verb)
      return
    }
    const { answer } = outcome
    transfer.last = answer
    transfer.headerBytes += statusLine(answer).length + sizeOf(answer.headers) + 2
    plan.jar?.take(answer, url)
    await events.answered(answer, url)
    const location = answer.status >= 300 && answer.status < 400 ? headerOf(answer, 'location') : undefined
    const next = location === undefined ? undefined : resolved(location, url)
    transfer.next = next?.href
    if (!plan.follows || next === undefined) return
    if (transfer.redirects === plan.maxRedirects) {
      transfer.status = 47
      transfer.message = `Maximum (${plan.maxRedirects}) redirects followed`
      return
    }
    transfer.redirects += 1
    transfer.next = undefined
    io.account(-answer.body.length)
    const { status } = answer
    // As in curl: a method given with -X stays, but nothing is sent with it.
    if (status === 303 && body !== undefined && !plan.keepsPost.has(303)) body = undefined
    else if ((status === 301 || status === 302) && isPost && !plan.keepsPost.has(status)) body = undefined
    if (status === 303 && isHead && plan.method === undefined) method = undefined
    if (plan.referer.isAuto) referer = withoutLogin(url)
    if (next.protocol !== 'http:' && next.protocol !== 'https:') {
      transfer.status = 1
      transfer.message = `Protocol "${next.protocol.slice(0, -1)}" not supported or disabled in libcurl`
      return
    }
    url = next
  }
}

function withoutLogin(url: URL): string {
  return url.href.replace(/\/\/[^/@]*@/, '//').replace(/#.*$/, '')
}

function resolved(location: string, url: URL): URL | undefined {
  try {
    const next = new URL(location, url.href)
    return next.hash === '' && url.hash !== '' && !location.includes('#') ? new URL(next.href + url.hash) : next
  } catch {
    return undefined
  }
}

export function statusLine({ status, statusText, httpVersion = '1.1' }: NetworkAnswer): string {
  return `HTTP/${httpVersion} ${status}${statusText === '' ? ' ' : ` ${statusText}`}\r\n`
}

export function headerLines({ headers }: Pick<NetworkAnswer, 'headers'>): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

const sizeOf = (headers: ReadonlyArray<readonly [string, string]>) => headerLines({ headers }).length

interface Hop {
  url: URL
  body: RequestBody | undefined
  /** Where credentials that the script gave may go. */
  isHome: boolean
  referer: string
}

function headersOf(plan: Plan, { url, body, isHome, referer }: Hop): [string, string][] {
  const custom = plan.headers.flatMap((line) => parseHeader(line) ?? [])
  const removed = new Set(plan.headers.flatMap((line) => (/^([^:;]+):\s*$/.exec(line)?.[1] ?? []) as string).map(lower))
  const named = new Set([...custom.map(({ name }) => lower(name)), ...removed])
  const all: [string, string][] = []
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '' && !named.has(lower(name))) all.push([name, value])
  }
  if (isHome && plan.bearer !== undefined) add('Authorization', `Bearer ${plan.bearer}`)
  else if (isHome && plan.user !== undefined) add('Authorization', `Basic ${base64(encodeText(plan.user))}`)
  add('Range', plan.range === undefined || body !== undefined ? undefined : `bytes=${plan.range}`)
  add('User-Agent', plan.agent)
  add('Accept', '*/*')
  if (plan.isCompressed) add('Accept-Encoding', 'deflate, gzip')
  add('Referer', referer)
  const kept = [plan.jar?.header(url) ?? '', plan.cookies].filter((each) => each !== '').join('; ')
  add('Cookie', kept)
  for (const { name, value } of custom) {
    const isSecret = ['authorization', 'cookie'].includes(lower(name))
    if (isHome || !isSecret) all.push([name, value])
  }
  if (body !== undefined && body.method === 'POST') {
    add('Content-Type', body.type ?? 'application/x-www-form-urlencoded')
  }
  return all
}

const lower = (text: string) => text.toLowerCase()

/** `Name: value`, and `Name;` for one without a value. */
function parseHeader(line: string): { name: string; value: string } | undefined {
  const [, name, value] = /^([^:;]+):\s*(.*?)\s*$/s.exec(line) ?? []
  if (name !== undefined && value !== undefined && value !== '') return { name, value: latin(value) }
  const [, empty] = /^([^:;]+);\s*$/.exec(line) ?? []
  return empty === undefined ? undefined : { name: empty, value: '' }
}

/** Bytes as the characters that stand for them in headers. */
function latin(text: string): string {
  let out = ''
  for (const byte of encodeText(text)) out += String.fromCharCode(byte)
  return out
}

export function base64(bytes: Bytes): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const retryable = new Set(['TIMEOUT', 'UNRESOLVED'])

function fail(transfer: Transfer, failure: Failure, url: URL): void {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const ms = Math.round(transfer.elapsedMs)
  const refused: [number, string] = [
    7,
    `Failed to connect to ${host} port ${port} after ${ms} ms: Couldn't connect to server`,
  ]
  const unknown: [number, string] = [6, `Could not resolve host: ${host}`]
  const table: Readonly<Record<string, [number, string]>> = {
    UNRESOLVED: unknown,
    UNREACHABLE: refused,
    TIMEOUT: [28, `Operation timed out after ${ms} milliseconds with 0 bytes received`],
    TOO_LARGE: [63, `Maximum file size exceeded: ${failure.message}`],
    CERTIFICATE: [60, `SSL certificate problem: ${failure.message}`],
    BROKEN: [56, `Recv failure: ${failure.message}`],
  }
  const [status, message] = isOffline(failure)
    ? isNumbered(url)
      ? refused
      : unknown
    : (table[failure.code] ?? unknown)
  transfer.status = status
  transfer.message = message
  transfer.isRetryable = retryable.has(failure.code)
}
