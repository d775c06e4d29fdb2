/** `curl` for HTTP: what it sends and prints, with the original's messages and exit codes. */
import { isFsError } from '../../../../src/errors.js'
import { dirname } from '../../../../src/fs/path.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { rawProgram } from '../../define-program.js'
import { helpText, versionText } from '../../originals.js'
import { waitFor } from '../../system/duration.js'
import { type CookieJar, cookieJar } from '../cookies.js'
import { decodedBody } from '../decode-body.js'
import { headerOf } from '../exchange.js'
import { CurlMistake, type CurlOption, type Given, parseCurl } from './options.js'
import { dataOf, formOf, inputOf, type RequestBody, uploadOf, urlEncoded, withQuery } from './request-body.js'
import { headerLines, type Plan, statusLine, type Transfer, transferOne } from './transfer.js'
import { writeOut } from './write-out.js'

export const curl = rawProgram({ name: 'curl', run: runCurl })

const hint = "\ncurl: try 'curl --help' or 'curl --manual' for more information"

async function runCurl(io: ProgramIo): Promise<number> {
  try {
    const { given, urls } = parseCurl(io.args)
    const settings = settingsOf(given)
    if (settings.is('help')) {
      await io.stdout.write(helpText('curl', '[options...] <url>'))
      return 0
    }
    if (settings.is('version')) {
      await io.stdout.write(versionText('curl'))
      return 0
    }
    if (io.args.length === 0) throw new CurlMistake("try 'curl --help' or 'curl --manual' for more information")
    if (urls.length === 0) throw new CurlMistake(`no URL specified!${hint}`)
    return await transferAll(io, settings, urls)
  } catch (error) {
    if (!(error instanceof CurlMistake)) throw error
    if (error.message !== '') await io.error(error.message)
    return error.status
  }
}

interface Settings {
  given: readonly Given[]
  /** On, and not switched off later. */
  is(name: CurlOption): boolean
  last(name: CurlOption): string | undefined
  all(name: CurlOption): string[]
  number(name: CurlOption): number | undefined
}

function settingsOf(given: readonly Given[]): Settings {
  const of = (name: CurlOption) => given.filter((each) => each.name === name)
  return {
    given,
    is: (name) => of(name).at(-1)?.on === true,
    last: (name) => of(name).at(-1)?.value,
    all: (name) => of(name).map(({ value }) => value),
    number(name) {
      const { value, written } = of(name).at(-1) ?? {}
      if (value === undefined) return undefined
      if (!/^\d+(?:\.\d+)?$/.test(value)) {
        throw new CurlMistake(`option ${written}: expected a proper numerical parameter${hint}`)
      }
      return Number(value)
    },
  }
}

async function transferAll(io: ProgramIo, settings: Settings, urls: readonly string[]): Promise<number> {
  const jar = await jarOf(io, settings)
  const prepared = await preparedBody(io, settings)
  let status = 0
  for (const [index, given] of urls.entries()) {
    const transfer = await withRetries(io, settings, async () => {
      const one = newTransfer(given, index)
      await transferTo(io, settings, { transfer: one, jar, prepared, index })
      return one
    })
    status = transfer.status
    if (status !== 0 && settings.is('fail-early')) break
  }
  const jarFile = settings.last('cookie-jar')
  if (jar !== undefined && jarFile !== undefined) {
    if (jarFile === '-') await io.stdout.write(jar.print())
    else await io.fs.writeFile(io.path(jarFile), encodeText(jar.print()))
  }
  return status
}

function newTransfer(given: string, number: number): Transfer {
  return {
    given,
    number,
    url: undefined,
    method: 'GET',
    status: 0,
    message: '',
    hint: '',
    last: undefined,
    next: undefined,
    redirects: 0,
    exchanges: 0,
    bodyBytes: 0,
    headerBytes: 0,
    requestBytes: 0,
    uploadBytes: 0,
    elapsedMs: 0,
    referer: '',
    file: undefined,
    isRetryable: false,
  }
}

async function jarOf(io: ProgramIo, settings: Settings): Promise<CookieJar | undefined> {
  const files = settings.all('cookie').filter((value) => !value.includes('='))
  if (files.length === 0 && settings.last('cookie-jar') === undefined) return undefined
  const jar = cookieJar(io.now)
  for (const file of files) {
    const bytes = file === '' ? undefined : await inputOf(io, file)
    if (bytes !== undefined) jar.readFile(decodeText(bytes), { withoutSessions: settings.is('junk-session-cookies') })
  }
  return jar
}

interface Prepared {
  body: RequestBody | undefined
  query: string
}

async function preparedBody(io: ProgramIo, settings: Settings): Promise<Prepared> {
  const { given } = settings
  const queries: string[] = []
  for (const value of settings.all('url-query')) {
    queries.push(value.startsWith('+') ? value.slice(1) : decodeText(await urlEncoded(io, value)))
  }
  const data = await dataOf(io, given)
  const form = await formOf(io, given)
  const kinds = [data !== undefined && !settings.is('get'), form !== undefined, settings.is('head')].filter(Boolean)
  if (kinds.length > 1) {
    if (!settings.is('silent')) {
      await io.stderr.write(
        'Warning: You can only select one HTTP request method! You asked for both POST \nWarning: (-d, --data) and HEAD (-I, --head).\n',
      )
    }
    throw new CurlMistake('')
  }
  if (settings.is('get') && data !== undefined) queries.push(decodeText(data))
  const upload = settings.last('upload-file')
  if (upload !== undefined) return { body: await uploadOf(io, upload), query: queries.join('&') }
  const body = form ?? (data === undefined || settings.is('get') ? undefined : { bytes: data, method: 'POST' as const })
  return { body, query: queries.join('&') }
}

async function withRetries(io: ProgramIo, settings: Settings, run: () => Promise<Transfer>): Promise<Transfer> {
  const most = settings.number('retry') ?? 0
  const delay = settings.number('retry-delay') ?? 0
  const maxTime = settings.number('retry-max-time')
  const begun = io.clock.elapsed()
  let pause = 1
  for (let left = most; ; left -= 1) {
    const transfer = await run()
    const reason = left > 0 ? whyAgain(transfer, settings) : undefined
    if (reason === undefined) return transfer
    const seconds = delay > 0 ? delay : pause
    if (maxTime !== undefined && maxTime > 0 && io.clock.elapsed() - begun + seconds * 1000 > maxTime * 1000)
      return transfer
    if (!settings.is('silent')) {
      const plural = (count: number, word: string) =>
        `${count} ${word}${count === 1 ? '' : word.endsWith('y') ? '' : 's'}`
      const tries = left === 1 ? '1 retry left' : `${left} retries left`
      await io.stderr.write(`Warning: Problem: ${reason}. Will retry in ${plural(seconds, 'second')}. ${tries}.\n`)
    }
    await waitFor(io, seconds * 1000)
    pause = Math.min(600, pause * 2)
  }
}

function whyAgain({ status, last, isRetryable }: Transfer, settings: Settings): string | undefined {
  const code = last?.status ?? 0
  if ([408, 429, 500, 502, 503, 504].includes(code) && (status === 0 || status === 22)) return 'HTTP error'
  if (status === 28 && isRetryable) return 'timeout'
  if (status === 7 && settings.is('retry-connrefused')) return 'connection refused'
  if (status !== 0 && settings.is('retry-all-errors')) return '(retrying all errors)'
  return undefined
}

interface One {
  transfer: Transfer
  jar: CookieJar | undefined
  prepared: Prepared
  index: number
}

async function transferTo(io: ProgramIo, settings: Settings, { transfer, jar, prepared, index }: One): Promise<void> {
  const url = addressOf(settings, transfer, prepared.query)
  if (url === undefined) return finish(io, settings, transfer)
  const target = outputOf(settings, transfer, url, index)
  if (transfer.status !== 0) return finish(io, settings, transfer)
  const resumed = settings.last('continue-at')
  const existing = resumed === '-' && target !== undefined ? await sizeIfAny(io, target) : Number(resumed ?? 0)
  const plan = planOf(settings, { url, jar, body: prepared.body })
  if (existing > 0) plan.range = `${existing}-`
  const heads: string[] = []
  const isVerbose = settings.is('verbose')
  const say = (mark: string, text: string) =>
    io.stderr.write(
      text
        .split('\r\n')
        .map((line) => `${mark} ${line}\r\n`)
        .join(''),
    )
  await transferOne(io, plan, transfer, {
    async sent(method, { host, pathname, search }, headers) {
      if (!isVerbose) return
      await say('>', `${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${headerLines({ headers })}`)
    },
    async answered(answer) {
      const head = `${statusLine(answer)}${headerLines(answer)}\r\n`
      heads.push(head)
      if (isVerbose) await say('<', `${statusLine(answer)}${headerLines(answer)}`)
    },
  })
  await deliver(io, settings, { transfer, target, heads, existing })
  return finish(io, settings, transfer)
}

/** The address with its scheme; a transfer that can't be made has a status then. */
function addressOf(settings: Settings, transfer: Transfer, query: string): URL | undefined {
  const fail = (status: number, message: string): undefined => {
    transfer.status = status
    transfer.message = message
    return undefined
  }
  const { given } = transfer
  if (!settings.is('globoff') && /[{}]|\[[^\]:]*\]/.test(given)) {
    return fail(
      3,
      'several addresses in one, with braces and brackets, are not supported by this shell: use -g or a loop',
    )
  }
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(given) ?? []
  const name = scheme?.toLowerCase() ?? settings.last('proto-default') ?? 'http'
  if (name !== 'http' && name !== 'https') return fail(1, `Protocol "${name}" not supported or disabled in libcurl`)
  const full = withQuery(scheme === undefined ? `${name}://${given}` : given, query)
  try {
    if (/[\0- \x7f]/.test(full.replace(/#.*$/s, ''))) throw new TypeError('a space')
    return new URL(latinUrl(full))
  } catch {
    return fail(3, 'URL using bad/illegal format or missing URL')
  }
}

/** Text of the shell holds bytes that are no UTF-8 as characters of their own; addresses take characters. */
function latinUrl(text: string): string {
  return new TextDecoder().decode(encodeText(text))
}

function planOf(
  settings: Settings,
  { url, jar, body }: Pick<One, 'jar'> & { url: URL; body?: RequestBody | undefined },
): Plan {
  const user = settings.last('user') ?? loginOf(url)
  const bearer = settings.last('oauth2-bearer')
  const range = settings.last('range')
  const seconds = settings.number('max-time') || settings.number('connect-timeout')
  const referer = settings.last('referer') ?? ''
  const maxRedirects = Number(settings.last('max-redirs') ?? 50)
  url.username = ''
  url.password = ''
  const cookies = settings.all('cookie').filter((value) => value.includes('='))
  return {
    url,
    method: settings.last('request'),
    headers: [...settings.all('header'), ...headersOfJson(settings)],
    body,
    isHead: settings.is('head'),
    ...(user !== undefined && { user: user.includes(':') ? user : `${user}:` }),
    ...(bearer !== undefined && { bearer }),
    agent: settings.last('user-agent') ?? 'curl/7.88.1',
    referer: { value: referer.replace(/;auto$/, ''), isAuto: referer.endsWith(';auto') },
    ...(range !== undefined && { range }),
    isCompressed: settings.is('compressed'),
    jar,
    cookies: cookies.join('; '),
    follows: settings.is('location') || settings.is('location-trusted'),
    isTrusted: settings.is('location-trusted'),
    maxRedirects: maxRedirects < 0 ? Infinity : maxRedirects,
    keepsPost: new Set(([301, 302, 303] as const).filter((code) => settings.is(`post${code}`))),
    ...(seconds && { timeoutMs: seconds * 1000 }),
  }
}

/** `--json` stands for them, where they are not given. */
function headersOfJson(settings: Settings): string[] {
  if (settings.last('json') === undefined) return []
  const isGiven = (name: string) => settings.all('header').some((line) => line.toLowerCase().startsWith(`${name}:`))
  return ['Content-Type', 'Accept']
    .filter((name) => !isGiven(name.toLowerCase()))
    .map((name) => `${name}: application/json`)
}

function loginOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
}

/** The file that the answer goes to; undefined for standard output. */
function outputOf(settings: Settings, transfer: Transfer, url: URL, index: number): string | undefined {
  const places = settings.given.filter(({ name }) => name === 'output' || name === 'remote-name')
  const place = places[index] ?? (settings.is('remote-name-all') ? { name: 'remote-name', value: '' } : undefined)
  if (place === undefined || (place.name === 'output' && place.value === '-')) return undefined
  const directory = settings.last('output-dir')
  const inDirectory = (name: string) => (directory === undefined ? name : `${directory.replace(/\/$/, '')}/${name}`)
  if (place.name === 'output') return inDirectory(place.value)
  const path = url.href.replace(/^[^/]*\/\/[^/]*/, '').replace(/[?#].*$/s, '')
  const name = path.split('/').at(-1) ?? ''
  if (name !== '') return inDirectory(name)
  transfer.status = 23
  transfer.message = 'Failed writing received data to disk/application'
  transfer.hint = ''
  transfer.file = ''
  return undefined
}

async function sizeIfAny(io: ProgramIo, file: string): Promise<number> {
  try {
    return (await io.fs.stat(io.path(file))).size ?? 0
  } catch (error) {
    if (isFsError(error)) return 0
    throw error
  }
}

interface Delivered {
  transfer: Transfer
  target: string | undefined
  heads: readonly string[]
  existing: number
}

async function deliver(
  io: ProgramIo,
  settings: Settings,
  { transfer, target, heads, existing }: Delivered,
): Promise<void> {
  const { last } = transfer
  const dump = settings.last('dump-header')
  if (dump !== undefined && (last !== undefined || dump !== '-')) {
    // With `-i` too, curl writes each line to both places at once.
    const isTwice = target === undefined && (settings.is('include') || settings.is('head'))
    if (dump === '-') await io.stdout.write(encodeText(isTwice ? doubled(heads.join('')) : heads.join('')))
    else await io.fs.writeFile(io.path(dump), encodeText(heads.join('')))
  }
  if (last === undefined) return
  const isShown = (settings.is('include') || settings.is('head')) && !(dump === '-' && target === undefined)
  const shown = isShown ? heads.join('') : ''
  const isBad = last.status >= 400 && (settings.is('fail') || settings.is('fail-with-body'))
  if (isBad && transfer.status === 0) {
    transfer.status = 22
    transfer.message = `The requested URL returned error: ${last.status}`
  }
  const isRedirected = transfer.status === 47 || transfer.status === 1
  const isLeftOut = settings.is('head') || isRedirected || (isBad && !settings.is('fail-with-body'))
  let body: Bytes = isLeftOut ? new Uint8Array() : last.body
  transfer.bodyBytes = body.length
  const most = settings.number('max-filesize')
  if (most !== undefined && body.length > most) {
    transfer.status = 63
    transfer.message = 'Maximum file size exceeded'
    body = new Uint8Array()
  }
  if (settings.is('compressed') && body.length > 0) {
    const decoded = decodedBody(io, body, headerOf(last, 'content-encoding'))
    if (decoded === undefined) {
      transfer.status = 61
      transfer.message = 'Unrecognized or bad HTTP Content or Transfer-Encoding'
      body = new Uint8Array()
    } else body = decoded
  }
  if (existing > 0 && last.status === 200) {
    transfer.status = 33
    transfer.message = "HTTP server doesn't seem to support byte ranges. Cannot resume."
    return
  }
  const file = nameOf(settings, transfer, target)
  if (file === undefined) {
    if (shown !== '') await io.stdout.write(encodeText(shown))
    await io.stdout.write(body)
    return
  }
  transfer.file = file
  if (shown === '' && isLeftOut && body.length === 0) return
  await save(io, settings, { transfer, file, bytes: [encodeText(shown), body], append: existing > 0 })
}

const doubled = (text: string) => text.replace(/[^\n]*\n/g, '$&$&')

/** With `-J`: the name that the server says, without directories. */
function nameOf(settings: Settings, { last }: Transfer, target: string | undefined): string | undefined {
  if (target === undefined || !settings.is('remote-header-name') || last === undefined) return target
  const [, quoted, plain] = /filename=(?:"([^"]*)"|([^;\s]+))/i.exec(headerOf(last, 'content-disposition') ?? '') ?? []
  const name = (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? ''
  return name === '' || name === '.' || name === '..' ? target : target.slice(0, target.lastIndexOf('/') + 1) + name
}

interface Saved {
  transfer: Transfer
  file: string
  bytes: readonly Bytes[]
  append: boolean
}

async function save(io: ProgramIo, settings: Settings, { transfer, file, bytes, append }: Saved): Promise<void> {
  const path = io.path(file)
  try {
    if (settings.is('create-dirs') || settings.last('output-dir') !== undefined) {
      if (settings.is('create-dirs')) await makeDirs(io, dirname(path))
    }
    const writer = await io.fs.openWrite(path, { append })
    for (const piece of bytes) if (piece.length > 0) await writer.write(piece)
    await writer.close()
  } catch (error) {
    if (!isFsError(error)) throw error
    const why =
      error.code === 'IS_A_DIRECTORY'
        ? 'Is a directory'
        : error.code === 'NOT_FOUND'
          ? 'No such file or directory'
          : 'Permission denied'
    if (!settings.is('silent')) await io.stderr.write(`Warning: Failed to open the file ${file}: ${why}\n`)
    transfer.status = 23
    transfer.message =
      transfer.bodyBytes > 0
        ? `Failure writing output to destination`
        : 'Failed writing received data to disk/application'
  }
}

export async function makeDirs(io: ProgramIo, directory: string): Promise<void> {
  if (directory === '/' || directory === '.') return
  try {
    if ((await io.fs.stat(directory)).kind === 'directory') return
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
  }
  await makeDirs(io, dirname(directory))
  await io.fs.makeDir(directory)
}

async function finish(io: ProgramIo, settings: Settings, transfer: Transfer): Promise<void> {
  const { status, message, hint: how } = transfer
  await io.stdout.flush()
  if (status !== 0) {
    const isQuiet = settings.is('silent') && !settings.is('show-error')
    if (!settings.is('silent') && transfer.file === '' && status === 23)
      await io.error('Remote file name has no length!')
    if (!isQuiet) await io.error(`(${status}) ${message}`)
    if (how !== '') await io.error(how.trimEnd())
  }
  const format = settings.last('write-out')
  if (format === undefined) return
  const text = format.startsWith('@') ? decodeText((await inputOf(io, format.slice(1))) ?? new Uint8Array()) : format
  const written = writeOut(text, transfer)
  for (const warning of written.warnings) await io.stderr.write(`curl: ${warning}\n`)
  if (written.toStderr !== '') await io.stderr.write(written.toStderr)
  await io.stdout.write(written.text)
}
