/** Parses a repository's `config`. Included files are not read. */

/** All values of a key, such as `core.bare` or `branch.main.merge`; the last one takes effect. */
export type GitConfig = ReadonlyMap<string, readonly string[]>

/** Parses well-formed lines and skips others. Section and key become lower case; a subsection does not. */
export function parseGitConfig(text: string): GitConfig {
  const values = new Map<string, string[]>()
  let section = ''
  for (const line of text.replaceAll(/\\\r?\n/g, '').split(/\r?\n/)) {
    const [, name, subsection, rest = ''] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line) ?? []
    if (name !== undefined) {
      section = name.toLowerCase() + (subsection === undefined ? '' : `.${subsection.replaceAll(/\\(.)/g, '$1')}`)
    }
    const [, key, given] = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(name === undefined ? line : rest) ?? []
    if (key === undefined || section === '') continue
    const full = `${section}.${key.toLowerCase()}`
    const all = values.get(full) ?? []
    values.set(full, all)
    all.push(given === undefined ? 'true' : unquoted(given))
  }
  return values
}

export function lastValue(config: GitConfig, key: string): string | undefined {
  return config.get(key)?.at(-1)
}

/** Undefined when the key is not set. */
export function isTrue(config: GitConfig, key: string): boolean | undefined {
  const value = lastValue(config, key)?.toLowerCase()
  return value === undefined ? undefined : /^(true|yes|on|-?0*[1-9]\d*)$/.test(value)
}

const escapes: Record<string, string> = { n: '\n', t: '\t', b: '\b' }

/** Removes comments, quotes and surrounding space. */
function unquoted(given: string): string {
  let value = ''
  let trimmedLength = 0
  let quoted = false
  for (let at = 0; at < given.length; at += 1) {
    const character = given[at] as string
    if (character === '"') quoted = !quoted
    else if (!quoted && (character === '#' || character === ';')) break
    else if (character === '\\') {
      at += 1
      value += escapes[given[at] ?? ''] ?? given[at] ?? ''
    } else if (quoted || value !== '' || !/\s/.test(character)) value += character
    if (quoted || !/\s/.test(character)) trimmedLength = value.length
  }
  return value.slice(0, trimmedLength)
}
