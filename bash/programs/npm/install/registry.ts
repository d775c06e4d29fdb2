/** What a registry says of packages, and their archives. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { exchange, headerOf, howAllowed } from '../../network/exchange.js'
import { NpmFailure } from '../npm-failure.js'
import { isObject, type JsonObject } from '../package-json.js'
import type { Settings } from '../settings.js'
import { compareVersions, parseVersion, satisfies } from '../version-numbers.js'
import type { Spec } from './spec.js'

export interface Registry {
  /** What a package says of itself in the version that is meant. */
  manifest(spec: Spec & { kind: 'range' | 'tag' }): Promise<JsonObject>
  archive(url: string): Promise<Bytes>
}

const standardRegistry = 'https://registry.npmjs.org/'
const maxRedirects = 10

export function registryOf(io: ProgramIo, settings: Settings): Registry {
  const all = new Map<string, Promise<JsonObject>>()

  function addressOf(packageName: string): string {
    const scope = /^(@[^/]+)\//.exec(packageName)?.[1]
    const own = scope === undefined ? undefined : settings.scoped(`${scope}:registry`)
    const top = (own ?? settings.text('registry') ?? standardRegistry).replace(/\/*$/, '/')
    return `${top}${packageName.replace('/', '%2f')}`
  }

  async function get(address: string, accept: string): Promise<Bytes> {
    let url = address
    for (let redirects = 0; ; redirects += 1) {
      let parsed: URL
      try {
        parsed = new URL(url)
      } catch {
        throw fetchFailure('EINVALIDURL', `Invalid URL: ${url}`)
      }
      const headers: [string, string][] = [
        ['accept', accept],
        ['user-agent', 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false'],
      ]
      const outcome = await exchange(io, { method: 'GET', url, headers })
      if ('failure' in outcome) {
        const { code, message } = outcome.failure
        const how = howAllowed(io, outcome.failure, parsed).trimEnd()
        const known =
          code === 'OFFLINE' || code === 'REFUSED' || code === 'UNRESOLVED'
            ? 'ENOTFOUND'
            : code === 'UNREACHABLE'
              ? 'ECONNREFUSED'
              : 'ERR_NETWORK'
        throw fetchFailure(known, `request to ${url} failed, reason: ${message}`, how)
      }
      const { answer } = outcome
      const location = headerOf(answer, 'location')
      if (answer.status >= 300 && answer.status < 400 && location !== undefined && redirects < maxRedirects) {
        io.account(-answer.body.length)
        url = new URL(location, url).href
        continue
      }
      if (answer.status === 404) {
        throw new NpmFailure(
          [
            ['code', 'E404'],
            ['404', `Not Found - GET ${url} - Not found`],
            ['404', ''],
            ['404', ` The requested resource '${url}' could not be found or you do not have permission to access it.`],
          ],
          { code: 'E404', summary: `Not Found - GET ${url} - Not found` },
        )
      }
      if (answer.status !== 200)
        throw fetchFailure(`E${answer.status}`, `${answer.status} ${answer.statusText} - GET ${url}`)
      return answer.body
    }
  }

  async function packument(packageName: string): Promise<JsonObject> {
    const url = addressOf(packageName)
    const body = await get(url, 'application/json')
    let parsed: unknown
    try {
      parsed = JSON.parse(new TextDecoder().decode(body))
    } catch {
      throw fetchFailure('EJSONPARSE', `Invalid response body while trying to fetch ${url}`)
    }
    io.account(-body.length)
    if (!isObject(parsed as JsonObject))
      throw fetchFailure('EJSONPARSE', `Invalid response body while trying to fetch ${url}`)
    return parsed as JsonObject
  }

  return {
    async manifest(spec) {
      const { packageName } = spec
      let found = all.get(packageName)
      if (found === undefined) {
        found = packument(packageName)
        found.catch(() => {})
        all.set(packageName, found)
      }
      return pick(await found, spec)
    },
    archive: (url) => get(url, '*/*'),
  }
}

function fetchFailure(code: string, message: string, how = ''): NpmFailure {
  return new NpmFailure([['code', code], ['', message], ...(how === '' ? [] : [['', how] as const])], {
    code,
    summary: message,
  })
}

/** As npm chooses: what the tag `latest` names if it fits, else the highest version, one that is not deprecated first. */
function pick(packument: JsonObject, spec: Spec & { kind: 'range' | 'tag' }): JsonObject {
  const versions = isObject(packument.versions) ? packument.versions : {}
  const tags = isObject(packument['dist-tags']) ? packument['dist-tags'] : {}
  const at = (version: unknown) => {
    const found = typeof version === 'string' && Object.hasOwn(versions, version) ? versions[version] : undefined
    return isObject(found) ? found : undefined
  }
  if (spec.kind === 'tag') {
    const tagged = at(Object.hasOwn(tags, spec.tag) ? tags[spec.tag] : undefined)
    if (tagged === undefined) throw noMatch(packument, `${spec.packageName}@${spec.tag}`)
    return tagged
  }
  const { range } = spec
  const latest = at(tags.latest)
  const isWanted = (version: string) => satisfies(version, range) === true
  if (latest !== undefined && (range === '*' || isWanted(String(tags.latest)))) {
    if (latest.deprecated === undefined) return latest
  }
  const usable = Object.keys(versions)
    .filter((version) => isWanted(version) || (range === '*' && parseVersion(version) !== undefined))
    .map((version) => ({ version, parsed: parseVersion(version), isOld: Boolean(at(version)?.deprecated) }))
    .flatMap((each) => (each.parsed === undefined ? [] : [{ ...each, parsed: each.parsed }]))
    .sort((one, other) => Number(one.isOld) - Number(other.isOld) || compareVersions(other.parsed, one.parsed))
  const best = at(usable[0]?.version)
  if (best === undefined) throw noMatch(packument, `${spec.packageName}@${range}`)
  return best
}

function noMatch(packument: JsonObject, wanted: string): NpmFailure {
  const summary = `No matching version found for ${wanted}.`
  const detail = "In most cases you or one of your dependencies are requesting\na package version that doesn't exist."
  void packument
  return new NpmFailure(
    [
      ['code', 'ETARGET'],
      ['notarget', summary],
      ['notarget', detail],
    ],
    { code: 'ETARGET', summary, detail },
  )
}
