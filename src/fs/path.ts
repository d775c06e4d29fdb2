/** Pure functions on normalised absolute POSIX paths. */

/** The components of a path; none for `/`. */
export function split(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/')
}

export function fromComponents(components: readonly string[]): string {
  return `/${components.join('/')}`
}

/** Adds one name, or a relative path, below a directory. */
export function join(directory: string, name: string): string {
  if (name === '') return directory
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

/** The parent directory; `/` is its own. */
export function dirname(path: string): string {
  const slash = lastSlash(path)
  return slash <= 0 ? '/' : path.slice(0, slash)
}

/** The last component; empty for `/`. */
export function basename(path: string): string {
  return path.slice(lastSlash(path) + 1)
}

/** Like `lastIndexOf`, which engines do not inline. */
function lastSlash(path: string): number {
  let at = path.length - 1
  while (at >= 0 && path.charCodeAt(at) !== 0x2f) at -= 1
  return at
}

/** Absolute, and free of `.`, `..` and empty components. */
export function isNormal(path: string): boolean {
  if (path === '/') return true
  if (!path.startsWith('/') || path.endsWith('/')) return false
  // Few paths get past the first test, which takes far less time than to go through the components.
  return !/\/[./]/.test(path) || !/\/(?:\/|\.{1,2}(?:\/|$))/.test(path)
}

/** True when `path` is `directory` or is below it; compared by component, never by prefix. */
export function isWithin(directory: string, path: string): boolean {
  const { length } = directory
  if (path.length < length || path.slice(0, length) !== directory) return false
  return length === path.length || directory === '/' || path.charCodeAt(length) === 0x2f
}

/** The path relative to a directory that contains it; empty when they are the same. */
export function relative(directory: string, path: string): string {
  if (path === directory) return ''
  return directory === '/' ? path.slice(1) : path.slice(directory.length + 1)
}

/** The path as a URI has it; the colon of a drive stays. */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^\/([A-Z])%3A(?=\/|$)/, '/$1:')
}

/** Resolves `.`, `..` and empty components of `path` against `base`; `..` stops at `/`. Purely lexical. */
export function resolve(base: string, path: string): string {
  const components = path.startsWith('/') ? [] : split(base)
  for (const component of path.split('/')) {
    if (component === '' || component === '.') continue
    if (component === '..') components.pop()
    else components.push(component)
  }
  return fromComponents(components)
}
