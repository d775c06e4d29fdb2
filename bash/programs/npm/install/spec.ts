/** What is written behind the name of a dependency. */
import { satisfies } from '../version-numbers.js'

export type Spec =
  | { kind: 'range'; packageName: string; range: string }
  | { kind: 'tag'; packageName: string; tag: string }
  | { kind: 'directory'; path: string }
  | { kind: 'tarball'; resolved: string }
  | { kind: 'unsupported'; what: string }

export function parseSpec(name: string, spec: string): Spec {
  const text = spec.trim()
  const [, aliased, aliasSpec = ''] = /^npm:((?:@[^/@]+\/)?[^@/]+)(?:@(.*))?$/s.exec(text) ?? []
  if (aliased !== undefined) return registrySpec(aliased, aliasSpec.trim())
  if (/^(?:git[+:]|git@|github:|gitlab:|bitbucket:|gist:)/.test(text) || /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(text)) {
    return { kind: 'unsupported', what: `repositories (${text})` }
  }
  if (/^workspace:/.test(text)) return { kind: 'unsupported', what: `the protocol workspace: (${text})` }
  const isFile = /^(?:file:|\.\.?(?:\/|$)|\/|~\/)/.test(text)
  if (isFile || /\.(?:tgz|tar\.gz|tar)$/.test(text)) {
    const path = text.replace(/^file:(?:\/\/)?/, '')
    if (/^https?:/.test(text)) return { kind: 'tarball', resolved: text }
    return /\.(?:tgz|tar\.gz|tar)$/.test(path)
      ? { kind: 'unsupported', what: `archives as packages (${text})` }
      : { kind: 'directory', path }
  }
  if (/^https?:/.test(text)) return { kind: 'tarball', resolved: text }
  return registrySpec(name, text)
}

function registrySpec(packageName: string, text: string): Spec {
  const range = text === '' ? '*' : text
  if (satisfies('0.0.0', range) !== undefined) return { kind: 'range', packageName, range }
  return { kind: 'tag', packageName, tag: text }
}

/** `name@spec`, `@scope/name@spec`, `alias@npm:name@spec`, or a directory. */
export function parseWanted(text: string): { name?: string; spec: string } {
  if (/^(?:file:|\.\.?(?:\/|$)|\/|~\/|https?:|git[+:@]|github:)/.test(text)) return { spec: text }
  const [, name, spec] = /^((?:@[^/@]+\/)?[^@/]+)(?:@(.*))?$/s.exec(text) ?? []
  return name === undefined ? { spec: text } : { name, spec: spec ?? '' }
}

/** Neither a path nor something else that a directory could not be called. */
export function isPackageName(name: string): boolean {
  return (
    /^(?:@[a-zA-Z0-9~-][a-zA-Z0-9._~-]*\/)?[a-zA-Z0-9~_-][a-zA-Z0-9._~-]*$/.test(name) &&
    name.length <= 214 &&
    name !== 'node_modules'
  )
}
