import type { RulesAbove } from '../search/patterns/rules-above.js'

/** What git gets from outside of its repositories. The ignore rules count for searches and listings too. */
export interface GitSettings {
  /** The HTTP client; without it git fetches nothing. */
  http?: GitHttp
  /** The user's own ignore rules for all repositories, as text. */
  ignoreRules?: string
  /** Reads the ignore rules of the directories above a root. Default: those in the workspace's own file system. */
  rulesAbove?: (root: string) => Promise<RulesAbove>
  /** What counts where a repository's own configuration and attributes say nothing. */
  defaults?: GitDefaults
}

/** A way to fetch repositories. */
export interface GitHttp {
  /** From `fetchHttp`, or the default export of `isomorphic-git/http/web` or `isomorphic-git/http/node`. */
  client: { request(request: HttpRequest): Promise<HttpResponse> }
  /** A proxy through which pages reach servers that do not allow other origins. */
  corsProxy?: string
  /** Requests come from a page, where a server that denies the origin looks like one that can't be reached. */
  fromPage?: boolean
  /** A clone that fetches more is refused. Default: 256 MiB, which are held in memory several times over. */
  maxFetchedBytes?: number
}

export interface HttpRequest {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  /** Aborts the request. */
  signal?: AbortSignal | undefined
}

export interface HttpResponse {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  statusCode: number
  statusMessage: string
}

/** Settings of the user's own git that decide what a file looks like in a repository. */
export interface GitDefaults {
  /** `core.autocrlf` and `core.eol`. */
  autocrlf?: string
  eol?: string
  /** The text of the attributes file for all repositories. */
  attributes?: string
}
