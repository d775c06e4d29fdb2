/** Fetches from a server that is not trusted: what it sends is bounded and checked, and its refusals are distinguished. */
import { FsError, type GitRefusal, isFsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import type { GitHttp, HttpRequest, HttpResponse } from '../../workspace/git-settings.js'
import { damaged } from '../damaged.js'
import { loadIsomorphicGit } from '../isomorphic.js'
import { limits, tooLarge } from '../limits.js'
import { checkPack, receivedPack } from '../objects/check-pack.js'
import { parsePackIndex } from '../objects/pack-index.js'
import type { Repository } from '../repository.js'
import { withoutLogin } from '../without-login.js'

/** How far a clone is. */
export type CloneStep =
  | { phase: 'connect' }
  /** The server counts and compresses objects. */
  | { phase: 'prepare'; done: number; total: number }
  | { phase: 'receive'; bytes: number }
  /** Objects are checked and indexed. */
  | { phase: 'unpack'; done: number; total: number }
  /** Files are written. */
  | { phase: 'write'; done: number; total?: number }

export interface FetchOptions {
  http: GitHttp
  /** With a user name and password, if any; the remote `origin` in the configuration has none. */
  url: string
  branch?: string
  depth?: number
  maxBytes: number
  onStep: (step: CloneStep) => void
  signal?: AbortSignal
}

/** What the server calls its default branch, and the commit that was asked for; both absent in a repository without commits. */
export interface Fetched {
  defaultBranch?: string
  oid?: string
}

/** Adds objects and refs of the remote `origin` to what `repository` has staged. */
export async function fetchOrigin(
  repository: Repository,
  { http, url, branch, depth, maxBytes, onStep, signal }: FetchOptions,
): Promise<Fetched> {
  const { staged, gitDirectory, checkAborted } = repository
  const git = await loadIsomorphicGit()
  let received = 0
  /** How many the pack has. */
  let objects: number | undefined
  /** Why a request could not be made. */
  let unreached: { error: unknown } | undefined
  /** Why what was sent is not accepted; isomorphic-git would try again, and report something else. */
  let refused: FsError | undefined

  function refuse(error: FsError): never {
    refused = error
    throw error
  }

  async function request(wanted: HttpRequest): Promise<HttpResponse> {
    if (refused !== undefined) throw refused
    try {
      const response = await http.client.request({ ...wanted, ...(signal && { signal }) })
      if (response.body === undefined) return response
      const isList = wanted.method === 'GET'
      return { ...response, body: isList ? bounded(response.body) : counted(response.body) }
    } catch (error) {
      unreached = { error }
      throw error
    }
  }

  /** The list of branches and tags. */
  async function* bounded(body: AsyncIterableIterator<Uint8Array>) {
    let bytes = 0
    for await (const piece of body) {
      checkAborted()
      bytes += piece.length
      if (bytes > limits.packedRefsBytes) refuse(tooLarge('the list of branches and tags', limits.packedRefsBytes))
      yield piece
    }
  }

  async function* counted(body: AsyncIterableIterator<Uint8Array>) {
    for await (const piece of body) {
      checkAborted()
      received += piece.length
      if (received > maxBytes) refuse(tooLarge('what the server sends', maxBytes))
      onStep({ phase: 'receive', bytes: received })
      yield piece
    }
  }

  async function writeFile(path: string, data: Bytes | string): Promise<unknown> {
    if (refused !== undefined) throw refused
    if (path.endsWith('.pack') && typeof data !== 'string') {
      objects = await checkPack(data, {
        check: checkAborted,
        onProgress: ({ done, total }) => onStep({ phase: 'unpack', done, total }),
      }).catch((error) => (isFsError(error) ? refuse(error) : Promise.reject(error)))
    }
    // isomorphic-git leaves out, without a word, what it can't decode.
    const isIndex = path.endsWith('.idx') && typeof data !== 'string'
    if (isIndex && parsePackIndex(data, receivedPack).count !== objects) refuse(damaged(receivedPack))
    return staged.client.promises.writeFile(path as never, data as never)
  }

  onStep({ phase: 'connect' })
  try {
    const { defaultBranch, fetchHead } = await git.fetch({
      fs: { promises: { ...staged.client.promises, writeFile } },
      gitdir: gitDirectory,
      http: { request },
      remote: 'origin',
      url,
      ...(http.corsProxy !== undefined && { corsProxy: http.corsProxy }),
      ...(branch !== undefined && { ref: branch }),
      ...(depth !== undefined && { depth, singleBranch: true }),
      tags: true,
      onProgress({ phase, loaded, total }) {
        checkAborted()
        repository.progress(loaded, total)
        const ours = /^(?:Receiving objects|Resolving deltas)$/.test(phase) ? 'unpack' : 'prepare'
        onStep({ phase: ours, done: loaded, total })
      },
    })
    return {
      ...(defaultBranch && { defaultBranch: defaultBranch.replace('refs/heads/', '') }),
      ...(fetchHead && { oid: fetchHead }),
    }
  } catch (error) {
    if (refused !== undefined) throw refused
    if (isFsError(error)) throw error
    checkAborted()
    throw failureOf(error, {
      http,
      url: withoutLogin(url),
      branch,
      isUnreached: unreached !== undefined && unreached.error === error,
    })
  }
}

interface Asked {
  http: GitHttp
  url: string
  branch: string | undefined
  /** The request itself failed, so that nothing has answered. */
  isUnreached: boolean
}

function failureOf(cause: unknown, { http, url, branch, isUnreached }: Asked): FsError {
  const refusal = (reason: GitRefusal, subject = url) => new FsError('GIT_REFUSED', { reason, subject }, { cause })
  if (isUnreached) return refusal(http.fromPage && http.corsProxy === undefined ? 'cross-origin' : 'network')
  const { code, data } = cause as { code?: unknown; data?: { statusCode?: unknown } }
  switch (code) {
    case 'HttpError':
      return refusal(reasonOf(Number(data?.statusCode)))
    case 'SmartHttpError':
    case 'ParseError':
    case 'EmptyServerResponseError':
      return refusal('not-a-git-server')
    case 'NotFoundError':
      return refusal('unknown-branch', branch ?? 'HEAD')
    case 'RemoteCapabilityError':
      return refusal('unsupported-repository', 'a server that sends no part of a history')
    default:
      return refusal('network')
  }
}

function reasonOf(status: number): GitRefusal {
  if (status === 404 || status === 410) return 'unknown-repository'
  return status === 401 || status === 403 || status === 407 ? 'login-required' : 'network'
}
