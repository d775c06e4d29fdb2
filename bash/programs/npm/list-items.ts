/** The lines of `npm ls`: packages below those that need them, level by level. */
import { type Edge, type Installed, packageId } from './installed-tree.js'
import { idOf } from './package-json.js'
import { comparePackages } from './package-order.js'
import type { Workspace } from './project.js'
import { satisfies } from './version-numbers.js'

export interface Item {
  id: string
  name: string
  edge?: Edge
  node?: Installed
  parent?: Item
  depth: number
  /** Stands in the list before: it is not opened again. */
  isDeduped: boolean
  /** Asked for. */
  isMeant: boolean
  /** Asked for, or above what was. */
  isShown: boolean
  /** Ranges that it is not in, and where they are from. */
  invalid: string
  /** What is missing, where this is told. */
  required?: string
  children: Item[]
  problems: string[]
}

export interface Choice {
  /** Names with perhaps a range; none for all. */
  wanted: readonly string[]
  /** Levels below the first. */
  depth: number
  /** Kinds of dependencies of the project to leave out. */
  omitted: readonly string[]
  workspaces?: readonly Workspace[]
}

export function listItems(root: Installed, choice: Choice): Item[] {
  const top = newItem({ id: idOf(root.package) ?? root.directory, name: root.name, node: root })
  top.isMeant = choice.wanted.length === 0
  top.isShown = top.isMeant
  const items = [top]
  const seen = new Set([root.directory])
  const invalid = new Map<Installed, string>()
  let toldMissing = false

  /** The ranges of all edges that were looked at so far. */
  function look(edge: Edge): void {
    if (!edge.isInvalid || edge.to === undefined) return
    const from = edge.from.isRoot ? 'the root project' : edge.from.directory.slice(root.directory.length + 1)
    const before = invalid.get(edge.to)
    invalid.set(edge.to, `${before === undefined ? '' : `${before}, `}${JSON.stringify(edge.wanted)} from ${from}`)
  }

  for (const item of items) {
    const { node, edge } = item
    if (node !== undefined && !item.isDeduped) item.invalid = invalid.get(node) ?? ''
    item.problems = problemsOf(item)
    if (item.isMeant) for (let at: Item | undefined = item; at !== undefined; at = at.parent) at.isShown = true
    const depth = edge?.kind === 'workspace' ? 0 : item.depth
    if (node === undefined || item.isDeduped || depth > choice.depth) continue
    const edges = node.edges.filter((each) => item !== top || isChosen(each, choice))
    edges.forEach(look)
    for (const child of childrenOf(item, edges, root)) {
      child.depth = depth + 1
      if (child.node !== undefined) {
        child.isDeduped = seen.has(child.node.directory)
        child.invalid = invalid.get(child.node) ?? ''
        seen.add(child.node.directory)
      } else if (!toldMissing) {
        toldMissing = true
        child.required = child.edge?.wanted ?? '*'
      }
      child.isMeant = choice.wanted.length === 0 || choice.wanted.some((wanted) => isMeant(child, wanted))
      items.push(child)
    }
  }
  for (const item of items) if (item.isShown) item.parent?.children.push(item)
  return items
}

function newItem(given: Pick<Item, 'id' | 'name'> & Partial<Item>): Item {
  return {
    depth: 0,
    isDeduped: false,
    isMeant: false,
    isShown: false,
    invalid: '',
    children: [],
    problems: [],
    ...given,
  }
}

function isChosen(edge: Edge, { workspaces, omitted }: Choice): boolean {
  if (omitted.includes(edge.kind === 'peerOptional' ? 'peer' : edge.kind)) return false
  return workspaces === undefined || (edge.kind === 'workspace' && workspaces.some(({ name }) => name === edge.name))
}

/** In the order of their names: what it needs, and what nobody needs but lies there. */
function childrenOf(parent: Item, edges: readonly Edge[], root: Installed): Item[] {
  const children = edges
    .filter(({ to, kind }) => (to === undefined ? kind !== 'peerOptional' : to !== root))
    .map((edge) => {
      const id = edge.to === undefined ? `${edge.name}@${edge.wanted}` : packageId(edge.to)
      return newItem({ id, name: edge.name, edge, parent, ...(edge.to && { node: edge.to }) })
    })
  const paths = new Set(children.map(({ node }) => node?.directory))
  const extraneous = (parent.node?.children ?? []).filter(
    ({ directory, isExtraneous }) => isExtraneous && !paths.has(directory),
  )
  const all = [
    ...children,
    ...extraneous.map((node) => newItem({ id: packageId(node), name: node.name, node, parent })),
  ]
  return all.sort((one, other) => comparePackages(one.id, other.id))
}

export function isOptional({ edge }: Item): boolean {
  return edge?.kind === 'optional' || edge?.kind === 'peerOptional'
}

function problemsOf(item: Item): string[] {
  const { id, node, parent, invalid } = item
  if (node === undefined) return isOptional(item) ? [] : [`missing: ${id}, required by ${parent?.id}`]
  const problems = invalid === '' ? [] : [`invalid: ${id} ${node.directory}`]
  return node.isExtraneous && !item.isDeduped ? [...problems, `extraneous: ${id} ${node.directory}`] : problems
}

function isMeant({ name, node }: Item, wanted: string): boolean {
  const [, wantedName = wanted, range] = /^(@?[^@]+)(?:@(.*))?$/.exec(wanted) ?? []
  if (wantedName !== name || node === undefined) return false
  return range === undefined || satisfies(String(node.package.content.version), range) === true
}
