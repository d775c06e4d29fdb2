/** Paths as the URLs that `import` works with, and back. */
import { Failure } from '../failure.js'

export function urlOf(path: string): string {
  return `file://${encodeURI(path.toWellFormed()).replace(/[?#]/g, encodeURIComponent)}`
}

/** The path of a file URL, without what follows `?` and `#`. */
export function pathOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new Failure('URI_MALFORMED', { message: error.message, type: 'URIError' })
  }
}

export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
