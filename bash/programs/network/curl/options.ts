/** The options of curl, as it reads them itself. */

interface Spec {
  short?: string
  /** A value follows. */
  takes?: true
  /** Accepted, and without effect here: the platform's own way is as good, or nothing is shown anyway. */
  ignored?: true
}

const specs = {
  append: { short: 'a', ignored: true },
  anyauth: { ignored: true },
  basic: { ignored: true },
  compressed: {},
  'compressed-ssh': { ignored: true },
  'connect-timeout': { takes: true },
  'continue-at': { short: 'C', takes: true },
  cookie: { short: 'b', takes: true },
  'cookie-jar': { short: 'c', takes: true },
  'create-dirs': {},
  data: { short: 'd', takes: true },
  'data-ascii': { takes: true },
  'data-binary': { takes: true },
  'data-raw': { takes: true },
  'data-urlencode': { takes: true },
  disable: { short: 'q', ignored: true },
  'dump-header': { short: 'D', takes: true },
  fail: { short: 'f' },
  'fail-early': {},
  'fail-with-body': {},
  form: { short: 'F', takes: true },
  'form-string': { takes: true },
  get: { short: 'G' },
  globoff: { short: 'g' },
  head: { short: 'I' },
  header: { short: 'H', takes: true },
  help: { short: 'h' },
  'http0.9': { ignored: true },
  'http1.0': { short: '0', ignored: true },
  'http1.1': { ignored: true },
  http2: { ignored: true },
  'http2-prior-knowledge': { ignored: true },
  http3: { ignored: true },
  include: { short: 'i' },
  insecure: { short: 'k', ignored: true },
  ipv4: { short: '4', ignored: true },
  ipv6: { short: '6', ignored: true },
  json: { takes: true },
  'junk-session-cookies': { short: 'j' },
  keepalive: { ignored: true },
  'keepalive-time': { takes: true, ignored: true },
  location: { short: 'L' },
  'location-trusted': {},
  'max-filesize': { takes: true },
  'max-redirs': { takes: true },
  'max-time': { short: 'm', takes: true },
  buffer: { short: 'N', ignored: true },
  'no-buffer': { ignored: true },
  noproxy: { takes: true, ignored: true },
  'oauth2-bearer': { takes: true },
  output: { short: 'o', takes: true },
  'output-dir': { takes: true },
  parallel: { short: 'Z', ignored: true },
  'parallel-max': { takes: true, ignored: true },
  post301: {},
  post302: {},
  post303: {},
  'progress-bar': { short: '#', ignored: true },
  'progress-meter': { ignored: true },
  proto: { takes: true, ignored: true },
  'proto-redir': { takes: true, ignored: true },
  'proto-default': { takes: true },
  range: { short: 'r', takes: true },
  raw: { ignored: true },
  referer: { short: 'e', takes: true },
  'remote-header-name': { short: 'J' },
  'remote-name': { short: 'O' },
  'remote-name-all': {},
  'remove-on-error': {},
  request: { short: 'X', takes: true },
  'request-target': { takes: true },
  retry: { takes: true },
  'retry-all-errors': {},
  'retry-connrefused': {},
  'retry-delay': { takes: true },
  'retry-max-time': { takes: true },
  sessionid: { ignored: true },
  'show-error': { short: 'S' },
  silent: { short: 's' },
  'speed-limit': { short: 'Y', takes: true, ignored: true },
  'speed-time': { short: 'y', takes: true, ignored: true },
  'ssl-reqd': { ignored: true },
  stderr: { takes: true },
  'styled-output': { ignored: true },
  'tcp-fastopen': { ignored: true },
  'tcp-nodelay': { ignored: true },
  tlsv1: { short: '1', ignored: true },
  'tlsv1.0': { ignored: true },
  'tlsv1.1': { ignored: true },
  'tlsv1.2': { ignored: true },
  'tlsv1.3': { ignored: true },
  'tr-encoding': { ignored: true },
  'upload-file': { short: 'T', takes: true },
  url: { takes: true },
  'url-query': { takes: true },
  user: { short: 'u', takes: true },
  'user-agent': { short: 'A', takes: true },
  verbose: { short: 'v' },
  version: { short: 'V' },
  'write-out': { short: 'w', takes: true },
} as const satisfies Readonly<Record<string, Spec>>

export type CurlOption = keyof typeof specs

/** Those of the original that are missing here, with their letters. */
const unsupported: Readonly<Record<string, string>> = Object.fromEntries(
  'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert:E cert-status cert-type ciphers config:K connect-to crlf crlfile curves delegation digest dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url egd-file engine etag-compare etag-save expect100-timeout form-escape ftp-account ftp-create-dirs ftp-method ftp-pasv ftp-port:P ftp-ssl-control happy-eyeballs-timeout-ms haproxy-protocol hsts ignore-content-length interface key key-type krb libcurl limit-rate list-only:l local-port login-options mail-auth mail-from mail-rcpt manual:M metalink negotiate netrc:n netrc-file netrc-optional next:: ntlm ntlm-wb pass path-as-is pinnedpubkey preproxy proxy:x proxy-anyauth proxy-basic proxy-digest proxy-header proxy-insecure proxy-user:U proxytunnel:p pubkey quote:Q random-file rate remote-time:R request-target resolve sasl-authzid sasl-ir service-name socks4 socks4a socks5 socks5-hostname ssl ssl-allow-beast sslv2:2 sslv3:3 suppress-connect-headers telnet-option:t tftp-blksize time-cond:z tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-time unix-socket use-ascii:B xattr'
    .split(' ')
    .map((entry) => [entry.replace(/:.?$/, ''), /:(.)$/.exec(entry)?.[1] ?? '']),
)

/** Options in their order. `on`: not `--no-…`. */
export interface Given {
  name: CurlOption
  value: string
  /** As it was given. */
  written: string
  on: boolean
}

export interface CurlArguments {
  given: readonly Given[]
  /** Addresses, with `--url` among them. */
  urls: readonly string[]
}

/** A message of the tool itself, and the status. */
export class CurlMistake extends Error {
  constructor(
    message: string,
    readonly status = 2,
  ) {
    super(message)
  }
}

const hint = "\ncurl: try 'curl --help' or 'curl --manual' for more information"
const mistake = (written: string, what: string) => new CurlMistake(`option ${written}: ${what}${hint}`)
const notHere = (written: string) => new CurlMistake(`option ${written}: is not supported by this shell`)

const byLetter = new Map(
  (Object.entries(specs) as Array<[CurlOption, Spec]>).flatMap(([name, { short }]) =>
    short === undefined ? [] : [[short, name] as const],
  ),
)

export function parseCurl(args: readonly string[]): CurlArguments {
  const given: Given[] = []
  const urls: string[] = []
  let isOver = false
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string
    const next = args[at + 1]
    if (isOver || !arg.startsWith('-') || arg === '-') urls.push(arg)
    else if (arg === '--') isOver = true
    else if (arg.startsWith('--')) {
      const { name, on } = longOption(arg)
      const takes = 'takes' in specs[name]
      if (takes && next === undefined) throw mistake(arg, 'requires parameter')
      add(name, { value: takes ? (next as string) : '', written: arg, on })
      if (takes) at += 1
    } else {
      for (let letter = 1; letter < arg.length; letter += 1) {
        const name = byLetter.get(arg[letter] as string)
        if (name === undefined) {
          if (Object.values(unsupported).includes(arg[letter] as string)) throw notHere(`-${arg[letter]}`)
          throw mistake(arg, 'is unknown')
        }
        if (!('takes' in specs[name])) {
          add(name, { value: '', written: arg, on: true })
          continue
        }
        const attached = arg.slice(letter + 1)
        if (attached === '' && next === undefined) throw mistake(arg, 'requires parameter')
        add(name, { value: attached === '' ? (next as string) : attached, written: arg, on: true })
        if (attached === '') at += 1
        break
      }
    }
  }
  return { given, urls }

  function add(name: CurlOption, one: Omit<Given, 'name'>): void {
    if (name === 'url') urls.push(one.value)
    else given.push({ name, ...one })
    const other = name === 'fail' ? 'fail-with-body' : name === 'fail-with-body' ? 'fail' : undefined
    if (other !== undefined && given.some((each) => each.name === other && each.on)) {
      throw mistake(name === 'fail' ? '-f' : '--fail-with-body', 'is badly used here')
    }
  }
}

function longOption(written: string): { name: CurlOption; on: boolean } {
  const isNo = written.startsWith('--no-') && !(written.slice(2) in specs)
  const name = written.slice(isNo ? 5 : 2)
  const known = [...Object.keys(specs), ...Object.keys(unsupported)]
  const matching = known.includes(name) ? [name] : known.filter((each) => each.startsWith(name))
  const [only] = matching
  if (only === undefined) throw mistake(written, 'is unknown')
  if (matching.length > 1) throw mistake(written, 'is ambiguous')
  if (!(only in specs)) throw notHere(written)
  return { name: only as CurlOption, on: !isNo }
}
