/** Files of TypeScript as modules, and what Node says of those that are none. */

import { Failure } from '../failure.js'
import { SyntaxFault, stripTypes, UnsupportedSyntax } from './strip-types.js'

export const isTypeScript = (path: string) => /\.[cm]?ts$/.test(path)

export function withoutTypes(text: string, { path, url }: { path: string; url: string }): string {
  if (path.includes('/node_modules/')) {
    const message = `Stripping types is currently unsupported for files under node_modules, for "${url}"`
    throw new Failure('ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING', { message })
  }
  try {
    return stripTypes(text)
  } catch (error) {
    if (error instanceof UnsupportedSyntax) throw fault('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', path, error.message)
    if (error instanceof SyntaxFault) throw fault('ERR_INVALID_TYPESCRIPT_SYNTAX', path, error.message)
    throw error
  }
}

const fault = (code: string, path: string, message: string) =>
  new Failure(code, { message: `${message} (${path})`, type: 'SyntaxError' })
