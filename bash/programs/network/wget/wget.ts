/** `wget` for single files: names, messages and exit codes as the original's. */
import { isFsError } from '../../../../src/errors.js'
import { join } from '../../../../src/fs/path.js'
import type { NetworkAnswer } from '../../../../src/network/types.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { exists } from '../../../io/exists.js'
import type { Output, ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { makeDirs } from '../curl/curl.js'
import { inputOf } from '../curl/request-body.js'
import { base64 } from '../curl/transfer.js'
import { decodedBody } from '../decode-body.js'
import { exchange, type Failure, headerOf, howAllowed, isNumbered, isOffline } from '../exchange.js'

const options = {
  quiet: { names: ['-q', '--quiet'] },
  noVerbose: { names: ['--no-verbose'] },
  verbose: { names: ['-v', '--verbose'] },
  document: { names: ['-O', '--output-document'], value: 'required' },
  prefix: { names: ['-P', '--directory-prefix'], value: 'required' },
  resume: { names: ['-c', '--continue'] },
  keep: { names: ['--no-clobber'] },
  header: { names: ['--header'], value: 'required' },
  agent: { names: ['-U', '--user-agent'], value: 'required' },
  user: { names: ['--user', '--http-user'], value: 'required' },
  password: { names: ['--password', '--http-password'], value: 'required' },
  eagerly: { names: ['--auth-no-challenge'] },
  postData: { names: ['--post-data'], value: 'required' },
  postFile: { names: ['--post-file'], value: 'required' },
  method: { names: ['--method'], value: 'required' },
  bodyData: { names: ['--body-data'], value: 'required' },
  bodyFile: { names: ['--body-file'], value: 'required' },
  referer: { names: ['--referer'], value: 'required' },
  response: { names: ['-S', '--server-response'] },
  spider: { names: ['--spider'] },
  input: { names: ['-i', '--input-file'], value: 'required' },
  log: { names: ['-o', '--output-file'], value: 'required' },
  appendLog: { names: ['-a', '--append-output'], value: 'required' },
  tries: { names: ['-t', '--tries'], value: 'required' },
  timeout: { names: ['-T', '--timeout', '--connect-timeout', '--read-timeout', '--dns-timeout'], value: 'required' },
  redirects: { names: ['--max-redirect'], value: 'required' },
  disposition: { names: ['--content-disposition'] },
  onError: { names: ['--content-on-error'] },
  compression: { names: ['--compression'], value: 'required' },
  // Without effect: certificates are always checked, and nothing is kept between calls.
  ignored: {
    names: [
      '-4',
      '-6',
      '-d',
      '--inet4-only',
      '--inet6-only',
      '--no-check-certificate',
      '--no-hsts',
      '--no-cookies',
      '--no-cache',
      '--no-proxy',
      '--no-config',
      '--no-dns-cache',
      '--no-http-keep-alive',
      '--no-if-modified-since',
      '--no-directories',
      '--no-host-directories',
      '--no-parent',
      '--show-progress',
      '--no-netrc',
      '--trust-server-names',
    ],
  },
  ignoredValue: {
    names: [
      '--progress',
      '--waitretry',
      '-w',
      '--wait',
      '--prefer-family',
      '--secure-protocol',
      '--retry-on-http-error',
    ],
    value: 'required',
  },
} as const

const unsupported =
  '-r -l -m -p -k -K -E -x -N -A -R -D -H -L -I -X -b -e -B -F -Q --recursive --level --mirror --page-requisites --convert-links --backup-converted --adjust-extension --force-directories --timestamping --accept --reject --domains --span-hosts --relative --background --execute --base --force-html --quota --limit-rate --load-cookies --save-cookies --certificate --private-key --ca-certificate --warc-file --protocol-directories --cut-dirs --use-askpass --save-headers --start-pos --default-page --delete-after'.split(
    ' ',
  )

const doubled: Readonly<Record<string, string>> = {
  '-nv': '--no-verbose',
  '-nc': '--no-clobber',
  '-nd': '--no-directories',
  '-nH': '--no-host-directories',
  '-np': '--no-parent',
}

export const wget = defineProgram({
  name: 'wget',
  usage: '[OPTION]... [URL]...',
  options,
  helpNames: ['-h', '--help'],
  unsupported,
  usageStatus: 2,
  usageHint: "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.",
  rewrite: (args) =>
    args.flatMap((arg) => {
      const short = /^-q(O.*)$/.exec(arg)
      return short === null ? [doubled[arg] ?? arg] : ['-q', `-${short[1]}`]
    }),
  run: runWget,
})

type Given = ParsedArguments<typeof options>

/** How failures count: the least of these but 0 is the status. */
const [generic, badFile, noNetwork, badCertificate, badLogin, badProtocol, badAnswer] = [1, 3, 4, 5, 6, 7, 8] as const

interface Job {
  io: ProgramIo
  given: Given
  log: Pick<Output, 'write'>
  /** With `-O`, all that was fetched. */
  document: { path: string | undefined; isBegun: boolean } | undefined
}

async function runWget(io: ProgramIo, given: Given): Promise<number> {
  const urls = [...given.operands]
  const list = given.value('input')
  if (list !== undefined) {
    const bytes = await inputOf(io, list)
    if (bytes === undefined) {
      if (!given.has('quiet')) await io.stderr.write(`${list}: No such file or directory\nNo URLs found in ${list}.\n`)
      return 0
    }
    urls.push(
      ...decodeText(bytes)
        .split(/\s+/)
        .filter((line) => line !== ''),
    )
  }
  if (urls.length === 0) {
    if (list !== undefined) throw new ProgramError(`No URLs found in ${list}.`, generic)
    throw new ProgramError(
      "missing URL\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.",
      generic,
    )
  }
  const timeout = given.value('timeout')
  if (timeout !== undefined && !/^[\d.]+$/.test(timeout)) {
    throw new ProgramError(`--timeout: Invalid time period ‘${timeout}’`, 2)
  }
  const logged: string[] = []
  const file = given.value('log') ?? given.value('appendLog')
  const log = file === undefined ? io.stderr : { write: (text: string | Uint8Array) => void logged.push(String(text)) }
  const name = given.value('document')
  const path = name === undefined || name === '-' ? undefined : io.path(name)
  const document = name === undefined ? undefined : { path, isBegun: false }
  const job: Job = { io, given, log, document }
  let status = 0
  for (const url of urls) {
    const one = await fetchOne(job, url)
    if (one !== 0) status = status === 0 ? one : Math.min(status, one)
  }
  if (document?.path !== undefined && !document.isBegun && !given.has('spider')) {
    await io.fs.writeFile(document.path, new Uint8Array())
  }
  if (file !== undefined) {
    const writer = await io.fs.openWrite(io.path(file), { append: given.has('appendLog') })
    await writer.write(encodeText(logged.join('')))
    await writer.close()
  }
  return status
}

async function fetchOne(job: Job, written: string): Promise<number> {
  const { io, given } = job
  const full = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(written) ? written : `http://${written}`
  const [, scheme = ''] = /^([^:]*):/.exec(full) ?? []
  if (!/^https?$/i.test(scheme)) {
    await talk(job, `${written}: Unsupported scheme ‘${scheme}’.\n`, { alsoTerse: true })
    return generic
  }
  let url: URL
  try {
    url = new URL(new TextDecoder().decode(encodeText(full)))
  } catch {
    await talk(job, `${written}: Invalid host name.\n`, { alsoTerse: true })
    return generic
  }
  const login = loginOf(given, url)
  url.username = ''
  url.password = ''
  const body = await bodyOf(io, given)
  const target = await targetOf(job, url)
  if (target === 'kept') return 0
  if (given.has('spider')) await talk(job, 'Spider mode enabled. Check if remote file exists.\n')
  const start = given.has('resume') && target !== undefined ? await sizeOf(io, target) : 0
  const most = Number(given.value('redirects') ?? 20)
  let method = given.value('method') ?? (body !== undefined ? 'POST' : given.has('spider') ? 'HEAD' : 'GET')
  let sent = body
  let isAuthorised = given.has('eagerly')
  const home = url.origin
  for (let redirects = 0; ; ) {
    const at = timeOf(io)
    await talk(job, `--${at}--  ${url.href}\n`)
    const outcome = await exchange(io, {
      method,
      url: url.href,
      headers: headersOf(job, {
        start,
        hasBody: sent !== undefined,
        isHome: url.origin === home,
        login: isAuthorised ? login : undefined,
      }),
      ...(sent && { body: sent }),
      ...(given.value('timeout') !== undefined && { timeoutMs: Math.max(1, Number(given.value('timeout')) * 1000) }),
    })
    if ('failure' in outcome) return failed(job, outcome.failure, { url, method })
    const { answer } = outcome
    await talk(
      job,
      `Connecting to ${url.host.includes(':') ? url.host : `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}`}... connected.\n`,
    )
    await talk(job, 'HTTP request sent, awaiting response... ')
    if (given.has('response') && !given.has('quiet')) {
      const lines = [
        `HTTP/${answer.httpVersion ?? '1.1'} ${answer.status} ${answer.statusText}`,
        ...answer.headers.map((pair) => pair.join(': ')),
      ]
      await job.log.write(`${isTerse(job) ? '' : '\n'}${lines.map((line) => `  ${line}\n`).join('')}`)
    } else await talk(job, `${answer.status} ${answer.statusText}\n`)
    if (answer.status === 401 && login !== undefined && !isAuthorised) {
      isAuthorised = true
      continue
    }
    const location = headerOf(answer, 'location')
    if ([300, 301, 302, 303, 307, 308].includes(answer.status) && location !== undefined) {
      if (redirects >= most) {
        await talk(job, `${most} redirections exceeded.\n`, { alsoTerse: true })
        return badAnswer
      }
      redirects += 1
      await talk(job, `Location: ${location} [following]\n`)
      const next = new URL(location, url.href)
      if (next.protocol !== 'http:' && next.protocol !== 'https:') {
        await talk(job, `${next.href}: Unsupported scheme ‘${next.protocol.slice(0, -1)}’.\n`, { alsoTerse: true })
        return badAnswer
      }
      url = next
      if (sent !== undefined && answer.status !== 307 && answer.status !== 308) {
        sent = undefined
        method = 'GET'
      }
      continue
    }
    return received(job, answer, { url, target, start })
  }
}

const isTerse = ({ given }: Job) => given.has('noVerbose')

/** What is not said with `-q`, and by default not with `-nv`. */
async function talk({ given, log }: Job, text: string, { alsoTerse = false } = {}): Promise<void> {
  if (given.has('quiet') || (given.has('noVerbose') && !alsoTerse)) return
  await log.write(text)
}

function loginOf(given: Given, { username, password }: URL): string | undefined {
  const user = given.value('user') ?? (username === '' ? undefined : decodeURIComponent(username))
  return user === undefined ? undefined : `${user}:${given.value('password') ?? decodeURIComponent(password)}`
}

async function bodyOf(io: ProgramIo, given: Given) {
  const text = given.value('postData') ?? given.value('bodyData')
  if (text !== undefined) return encodeText(text)
  const file = given.value('postFile') ?? given.value('bodyFile')
  if (file === undefined) return undefined
  const bytes = await inputOf(io, file)
  if (bytes === undefined)
    throw new ProgramError(`BODY data file ‘${file}’ missing: No such file or directory`, badFile)
  return bytes
}

interface HeaderGiven {
  start: number
  hasBody: boolean
  isHome: boolean
  login: string | undefined
}

function headersOf({ given }: Job, { start, hasBody, isHome, login }: HeaderGiven): [string, string][] {
  const custom = given.values('header').flatMap((line): [string, string][] => {
    const [, name, value] = /^([^:]+):\s*(.*?)\s*$/s.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
  const named = new Set(custom.map(([name]) => name.toLowerCase()))
  const all: [string, string][] = []
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !named.has(name.toLowerCase())) all.push([name, value])
  }
  if (start > 0) add('Range', `bytes=${start}-`)
  add('Referer', given.value('referer'))
  add('User-Agent', given.value('agent') ?? 'Wget/1.21.3')
  add('Accept', '*/*')
  const compression = given.value('compression')
  add('Accept-Encoding', compression === 'auto' || compression === 'gzip' ? 'gzip' : 'identity')
  if (login !== undefined && isHome) add('Authorization', `Basic ${base64(encodeText(login))}`)
  if (hasBody) add('Content-Type', 'application/x-www-form-urlencoded')
  // What the script says of who it is goes nowhere else.
  return [...all, ...custom.filter(([name]) => isHome || !['authorization', 'cookie'].includes(name.toLowerCase()))]
}

/** Where it is saved; undefined for standard output and with `--spider`. */
async function targetOf(job: Job, url: URL): Promise<string | 'kept' | undefined> {
  const { io, given, document } = job
  if (document !== undefined) return document.path
  if (given.has('spider')) return undefined
  const name = localName(url)
  const prefix = given.value('prefix')
  const path = io.path(prefix === undefined ? name : `${prefix.replace(/\/+$/, '') || '/'}/${name}`)
  const isThere = await exists(io.fs, path)
  if (given.has('keep') && isThere) {
    const shown = prefix === undefined ? name : `${prefix}/${name}`
    await talk(job, `File ‘${shown}’ already there; not retrieving.\n\n`)
    return 'kept'
  }
  return path
}

function localName({ pathname, search }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  const base = last === '' ? 'index.html' : safelyDecoded(last)
  return `${base}${search.replaceAll('/', '%2F')}`
}

function safelyDecoded(name: string): string {
  let decoded = name
  try {
    decoded = decodeURIComponent(name)
  } catch {
    // It stays as it is written.
  }
  const safe = [...decoded].map((character) =>
    character < ' ' || character === '/' ? encodeURIComponent(character) : character,
  )
  const joined = safe.join('')
  return joined === '.' || joined === '..' ? joined.replaceAll('.', '%2E') : joined
}

async function sizeOf(io: ProgramIo, path: string): Promise<number> {
  try {
    return (await io.fs.stat(path)).size ?? 0
  } catch (error) {
    if (isFsError(error)) return 0
    throw error
  }
}

interface Received {
  url: URL
  target: string | undefined
  start: number
}

async function received(job: Job, answer: NetworkAnswer, { url, target, start }: Received): Promise<number> {
  const { io, given, document } = job
  const { status, statusText } = answer
  if (given.has('spider')) {
    if (status >= 400) {
      await talk(job, `Remote file does not exist -- broken link!!!\n\n`, { alsoTerse: true })
      return badAnswer
    }
    await talk(
      job,
      `Length: ${headerOf(answer, 'content-length') ?? 'unspecified'}${typeOf(answer)}\nRemote file exists.\n\n`,
    )
    if (isTerse(job)) await talk(job, `${timeOf(io)} URL: ${url.href} ${status} ${statusText}\n`, { alsoTerse: true })
    return 0
  }
  if (status === 416 && start > 0) {
    await talk(job, '\n    The file is already fully retrieved; nothing to do.\n\n')
    return 0
  }
  if (status >= 400 || status < 200) {
    if (isTerse(job)) await talk(job, `${url.href}:\n`, { alsoTerse: true })
    if (status === 401) {
      await talk(job, '\nUsername/Password Authentication Failed.\n', { alsoTerse: true })
      return badLogin
    }
    await talk(job, `${timeOf(io)} ERROR ${status}: ${statusText}.\n${isTerse(job) ? '' : '\n'}`, { alsoTerse: true })
    if (!given.has('onError')) return badAnswer
  }
  const encoding = headerOf(answer, 'content-encoding')
  const isCompressed = given.value('compression') === 'auto' || given.value('compression') === 'gzip'
  const body = isCompressed ? (decodedBody(io, answer.body, encoding) ?? answer.body) : answer.body
  const isWhole = status !== 206
  const path = await chosenPath(job, answer, { url, target, isResumed: start > 0 })
  const shown = path === undefined ? (document === undefined ? '' : 'STDOUT') : shownName(job, path)
  const total = headerOf(answer, 'content-length')
  await talk(job, `Length: ${total ?? 'unspecified'}${typeOf(answer)}\nSaving to: ‘${shown}’\n\n`)
  try {
    await store(job, { path, body, start: isWhole ? 0 : start })
  } catch (error) {
    if (!isFsError(error)) throw error
    await talk(job, `${shown}: ${error.code === 'IS_A_DIRECTORY' ? 'Is a directory' : 'Permission denied'}\n`, {
      alsoTerse: true,
    })
    return badFile
  }
  const [kept, size] = [(isWhole ? 0 : start) + body.length, answer.body.length]
  const length = total === undefined ? `[${kept}]` : `[${kept}/${isWhole ? size : kept}]`
  if (isTerse(job)) {
    const name = path === undefined ? '-' : shown
    await talk(job, `${timeOf(io)} URL:${url.href} ${length} -> "${name}" [1]\n`, { alsoTerse: true })
  } else
    await talk(job, `${timeOf(io)} - ${path === undefined ? 'written to stdout' : `‘${shown}’ saved`} ${length}\n\n`)
  return status >= 400 ? badAnswer : 0
}

function typeOf(answer: NetworkAnswer): string {
  const type = headerOf(answer, 'content-type')?.split(';')[0]?.trim()
  return type === undefined ? '' : ` [${type}]`
}

function shownName({ given }: Job, path: string): string {
  const document = given.value('document')
  if (document !== undefined) return document
  const name = path.slice(path.lastIndexOf('/') + 1)
  const prefix = given.value('prefix')
  return prefix === undefined ? name : `${prefix.replace(/\/+$/, '')}/${name}`
}

/** A file that is there already is left alone: the new one has a number. */
async function chosenPath(
  { io, given, document }: Job,
  answer: NetworkAnswer,
  { target, isResumed }: { url: URL; target: string | undefined; isResumed: boolean },
): Promise<string | undefined> {
  if (target === undefined || document !== undefined) return target
  let path = target
  if (given.has('disposition')) {
    const [, quoted, plain] =
      /filename=(?:"([^"]*)"|([^;\s]+))/i.exec(headerOf(answer, 'content-disposition') ?? '') ?? []
    const name = (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? ''
    if (name !== '' && name !== '.' && name !== '..') path = join(path.slice(0, path.lastIndexOf('/')) || '/', name)
  }
  if (isResumed) return path
  for (let number = 0; ; number += 1) {
    const numbered = number === 0 ? path : `${path}.${number}`
    if (!(await exists(io.fs, numbered))) return numbered
  }
}

async function store(
  { io, document }: Job,
  { path, body, start }: { path: string | undefined; body: Uint8Array; start: number },
): Promise<void> {
  if (path === undefined) {
    await io.stdout.write(body)
    return
  }
  if (document === undefined) await makeDirs(io, path.slice(0, path.lastIndexOf('/')) || '/')
  const writer = await io.fs.openWrite(path, { append: start > 0 || document?.isBegun === true })
  if (document !== undefined) document.isBegun = true
  if (body.length > 0) await writer.write(body)
  await writer.close()
}

async function failed(job: Job, failure: Failure, { url, method }: { url: URL; method: string }): Promise<number> {
  const { io } = job
  const how = howAllowed(io, failure, url, method)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const isUnknown = failure.code === 'UNRESOLVED' || (isOffline(failure) && !isNumbered(url))
  if (isUnknown) {
    await talk(job, `Resolving ${url.hostname} (${url.hostname})... failed: Name or service not known.\n`)
    if (!job.given.has('quiet')) await io.error(`unable to resolve host address ‘${url.hostname}’`)
  } else if (failure.code === 'UNREACHABLE' || isOffline(failure)) {
    await talk(job, `Connecting to ${url.hostname}:${port}... `)
    await talk(job, 'failed: Connection refused.\n', { alsoTerse: true })
  } else await talk(job, `${failure.message}.\nGiving up.\n\n`, { alsoTerse: true })
  if (how !== '') await io.error(how.trimEnd())
  return failure.code === 'CERTIFICATE' ? badCertificate : failure.code === 'TOO_LARGE' ? badProtocol : noNetwork
}

function timeOf({ now }: ProgramIo): string {
  return new Date(now()).toISOString().replace('T', ' ').slice(0, 19)
}
