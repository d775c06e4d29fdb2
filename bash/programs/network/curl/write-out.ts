/** What `-w` prints. */
import { headerOf } from '../exchange.js'
import type { Transfer } from './transfer.js'

/** Unknown names are printed to stderr by the original, and are nothing in the output. */
export function writeOut(format: string, transfer: Transfer): { text: string; warnings: string[]; toStderr: string } {
  const warnings: string[] = []
  let text = ''
  let toStderr = ''
  let isStderr = false
  const add = (piece: string) => {
    if (isStderr) toStderr += piece
    else text += piece
  }
  for (let at = 0; at < format.length; at += 1) {
    const rest = format.slice(at)
    const [whole, header] = /^%header\{([^}]*)\}/.exec(rest) ?? []
    const [variable, name = ''] = /^%\{([^}]*)\}/.exec(rest) ?? []
    if (whole !== undefined) {
      add(transfer.last === undefined ? '' : (headerOf(transfer.last, (header ?? '').toLowerCase()) ?? ''))
      at += whole.length - 1
    } else if (variable !== undefined) {
      if (name === 'stdout' || name === 'stderr') isStderr = name === 'stderr'
      else if (name in variables) add(variables[name as keyof typeof variables](transfer))
      else if (name === 'onerror') {
        if (transfer.status === 0) break
      } else warnings.push(`unknown --write-out variable: '${name}'`)
      at += variable.length - 1
    } else if (rest.startsWith('%%')) {
      add('%')
      at += 1
    } else if (rest.startsWith('\\') && rest.length > 1) {
      const letter = rest[1] as string
      add({ n: '\n', r: '\r', t: '\t' }[letter] ?? `\\${letter}`)
      at += 1
    } else add(rest[0] as string)
  }
  return { text, warnings, toStderr }
}

const seconds = (ms: number) => (ms / 1000).toFixed(6)
const code = ({ last }: Transfer) => String(last?.status ?? 0).padStart(3, '0')
const port = (url: URL | undefined) =>
  url === undefined ? '0' : url.port || (url.protocol === 'https:' ? '443' : '80')

const variables = {
  certs: () => '',
  content_type: ({ last }: Transfer) => (last && headerOf(last, 'content-type')) ?? '',
  errormsg: ({ message }: Transfer) => message,
  exitcode: ({ status }: Transfer) => String(status),
  filename_effective: ({ file }: Transfer) => file ?? '',
  ftp_entry_path: () => '',
  header_json: ({ last }: Transfer) => headersAsJson(last?.headers ?? []),
  http_code: code,
  http_connect: () => '000',
  http_version: ({ last }: Transfer) => last?.httpVersion ?? '0',
  json: (transfer: Transfer) => asJson(transfer),
  local_ip: () => '',
  local_port: () => '0',
  method: ({ method }: Transfer) => method,
  num_connects: ({ exchanges }: Transfer) => String(Math.min(1, exchanges)),
  num_headers: ({ last }: Transfer) => String(last?.headers.length ?? 0),
  num_redirects: ({ redirects }: Transfer) => String(redirects),
  proxy_ssl_verify_result: () => '0',
  redirect_url: ({ next }: Transfer) => next ?? '',
  referer: ({ referer }: Transfer) => referer,
  remote_ip: () => '',
  remote_port: ({ url }: Transfer) => port(url),
  response_code: code,
  scheme: ({ url }: Transfer) => (url === undefined ? '' : url.protocol.slice(0, -1).toUpperCase()),
  size_download: ({ bodyBytes }: Transfer) => String(bodyBytes),
  size_header: ({ headerBytes }: Transfer) => String(headerBytes),
  size_request: ({ requestBytes }: Transfer) => String(requestBytes),
  size_upload: ({ uploadBytes }: Transfer) => String(uploadBytes),
  speed_download: ({ bodyBytes, elapsedMs }: Transfer) =>
    String(Math.floor((bodyBytes * 1000) / Math.max(1, elapsedMs))),
  speed_upload: ({ uploadBytes, elapsedMs }: Transfer) =>
    String(Math.floor((uploadBytes * 1000) / Math.max(1, elapsedMs))),
  ssl_verify_result: () => '0',
  time_appconnect: () => '0.000000',
  time_connect: () => '0.000000',
  time_namelookup: () => '0.000000',
  time_pretransfer: () => '0.000000',
  time_redirect: () => '0.000000',
  time_starttransfer: ({ elapsedMs }: Transfer) => seconds(elapsedMs),
  time_total: ({ elapsedMs }: Transfer) => seconds(elapsedMs),
  url: ({ given }: Transfer) => given,
  url_effective: ({ url, given }: Transfer) => url?.href ?? given,
  urlnum: ({ number }: Transfer) => String(number),
} satisfies Readonly<Record<string, (transfer: Transfer) => string>>

function headersAsJson(headers: ReadonlyArray<readonly [string, string]>): string {
  const all = new Map<string, string[]>()
  for (const [name, value] of headers) all.set(name.toLowerCase(), [...(all.get(name.toLowerCase()) ?? []), value])
  return `{${[...all].map(([name, values]) => `${JSON.stringify(name)}:[${values.map((value) => JSON.stringify(value)).join(',')}]`).join(',\n')}\n}`
}

const numeric = new Set<string>(
  'exitcode http_code http_connect local_port num_connects num_headers num_redirects proxy_ssl_verify_result remote_port response_code size_download size_header size_request size_upload speed_download speed_upload ssl_verify_result time_appconnect time_connect time_namelookup time_pretransfer time_redirect time_starttransfer time_total urlnum'.split(
    ' ',
  ),
)
const leftOut = new Set(['json', 'header_json', 'certs'])

function asJson(transfer: Transfer): string {
  const entries = Object.entries(variables).flatMap(([name, read]) => {
    if (leftOut.has(name)) return []
    const value = read(transfer)
    const shown = numeric.has(name)
      ? name.startsWith('time_')
        ? value
        : String(Number(value))
      : value === ''
        ? 'null'
        : JSON.stringify(value)
    return [`${JSON.stringify(name)}:${shown}`]
  })
  return `{${entries.join(',')},"curl_version":"libcurl/7.88.1"}`
}
