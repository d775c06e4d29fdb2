/** Paths by their names: whether the set has one above or below another is found without asking for each directory between. */
export interface PathSet extends Iterable<string> {
  readonly size: number
  has(path: string): boolean
  /** Whether the set has the path or one above it. */
  covers(path: string): boolean
  add(path: string): void
  /** Deletes the path and all below it. */
  deleteWithin(path: string): void
  /** Of these names in a directory, those whose paths are there. */
  namesIn(directory: string): (name: string) => boolean
}

interface Node {
  isThere: boolean
  readonly children: Map<string, Node>
}

export function createPathSet(): PathSet {
  let root: Node = emptyNode()
  let size = 0

  /** The node of a path, or of the nearest path above it for which `stopsAt` is true. */
  function nodeOf(path: string, stopsAt: (node: Node) => boolean = () => false): Node | undefined {
    let node: Node | undefined = root
    for (let end = 0; node !== undefined && end < path.length && path !== '/' && !stopsAt(node); ) {
      const start = end + 1
      end = endOfName(path, start)
      node = node.children.get(path.slice(start, end))
    }
    return node
  }

  return {
    get size() {
      return size
    },
    has: (path) => nodeOf(path)?.isThere ?? false,
    covers: (path) => nodeOf(path, ({ isThere }) => isThere)?.isThere ?? false,
    add(path) {
      let node = root
      for (let end = 0; end < path.length && path !== '/'; ) {
        const start = end + 1
        end = endOfName(path, start)
        const name = path.slice(start, end)
        const next = node.children.get(name) ?? emptyNode()
        node.children.set(name, next)
        node = next
      }
      if (!node.isThere) size += 1
      node.isThere = true
    },
    deleteWithin(path) {
      const node = nodeOf(path)
      if (node === undefined) return
      for (const _ of pathsOf(path, node)) size -= 1
      const slash = path.lastIndexOf('/')
      if (path === '/') root = emptyNode()
      else nodeOf(path.slice(0, slash) || '/')?.children.delete(path.slice(slash + 1))
    },
    namesIn(directory) {
      const node = size === 0 ? undefined : nodeOf(directory)
      return (name) => node?.children.get(name)?.isThere ?? false
    },
    [Symbol.iterator]: () => pathsOf('/', root),
  }
}

function emptyNode(): Node {
  return { isThere: false, children: new Map() }
}

function endOfName(path: string, start: number): number {
  const slash = path.indexOf('/', start)
  return slash === -1 ? path.length : slash
}

function* pathsOf(path: string, node: Node): IterableIterator<string> {
  const waiting: Array<[path: string, node: Node]> = [[path, node]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, { isThere, children }] = next
    if (isThere) yield at
    for (const [name, child] of children) waiting.push([at === '/' ? `/${name}` : `${at}/${name}`, child])
  }
}
