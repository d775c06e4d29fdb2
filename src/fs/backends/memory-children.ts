/**
 * The entries of a directory by name, in the order in which they came. Trees copy a directory for every change below it, and few
 * changes are of a name: copies share their names until one of them gets or loses one. Plain data, so that trees can be sent to workers.
 */
export interface MemoryChildren<Node> {
  /** Where each name has its node. */
  readonly places: ReadonlyMap<string, number>
  /** The place of an entry that was removed is empty. */
  readonly nodes: readonly (Node | undefined)[]
}

/** Those of a directory that may be changed. */
export interface OwnChildren<Node> extends MemoryChildren<Node> {
  places: Map<string, number>
  nodes: (Node | undefined)[]
  /** Others may have these places too. */
  sharesPlaces: boolean
}

export function noChildren<Node>(): OwnChildren<Node> {
  return { places: new Map(), nodes: [], sharesPlaces: false }
}

/** The original must not be changed any more. */
export function copyOfChildren<Node>({ places, nodes }: MemoryChildren<Node>): OwnChildren<Node> {
  return { places: places as Map<string, number>, nodes: nodes.slice(), sharesPlaces: true }
}

export function childOf<Node>({ places, nodes }: MemoryChildren<Node>, name: string): Node | undefined {
  const place = places.get(name)
  return place === undefined ? undefined : nodes[place]
}

export function* allChildren<Node>({ places, nodes }: MemoryChildren<Node>): IterableIterator<[string, Node]> {
  for (const [name, place] of places) yield [name, nodes[place] as Node]
}

export function putChild<Node>(children: OwnChildren<Node>, name: string, node: Node): void {
  const place = children.places.get(name)
  if (place !== undefined) {
    children.nodes[place] = node
    return
  }
  ownPlaces(children)
  children.places.set(name, children.nodes.length)
  children.nodes.push(node)
}

export function dropChild<Node>(children: OwnChildren<Node>, name: string): void {
  if (!children.places.has(name)) return
  ownPlaces(children)
  children.nodes[children.places.get(name) as number] = undefined
  children.places.delete(name)
}

function ownPlaces<Node>(children: OwnChildren<Node>): void {
  if (children.nodes.length > 2 * children.places.size + 8) leaveOutEmpty(children)
  else if (children.sharesPlaces) children.places = new Map(children.places)
  children.sharesPlaces = false
}

function leaveOutEmpty<Node>(children: OwnChildren<Node>): void {
  const entries = [...allChildren(children)]
  children.places = new Map(entries.map(([name], place) => [name, place]))
  children.nodes = entries.map(([, node]) => node)
}
