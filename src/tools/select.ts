import { type Dialect, type Tool, type ToolGroup, toolGroups } from './dialect.js'

/**
 * The dialect with some of its tools: `spec` lists names and groups, such as `read,search` or `edit,-delete`. Items that begin with `-` are
 * left out; if only such items are listed, all other tools remain. The order stays. Throws for an unknown name, and lists the known ones.
 */
export function selectTools(dialect: Dialect, spec: string | readonly string[]): Dialect {
  const items = (typeof spec === 'string' ? spec.split(',') : spec).map((item) => item.trim()).filter(Boolean)
  for (const item of items) requireKnown(dialect, item.replace(/^-/, ''))
  const wanted = items.filter((item) => !item.startsWith('-'))
  const unwanted = items.filter((item) => item.startsWith('-')).map((item) => item.slice(1))
  return {
    ...dialect,
    tools: dialect.tools.filter((tool) => (wanted.length === 0 || names(tool, wanted)) && !names(tool, unwanted)),
  }
}

/** The group of a tool; by what it needs and does, where the dialect does not say. */
export function groupOf({ group, needs, mutates }: Tool): ToolGroup {
  if (group !== undefined) return group
  if (needs === 'shell') return 'shell'
  return mutates ? 'edit' : 'read'
}

/** By its own name or that of its group. */
function names(tool: Tool, items: readonly string[]): boolean {
  return items.includes(tool.name) || items.includes(groupOf(tool))
}

function requireKnown({ tools, name }: Dialect, item: string): void {
  if (isGroup(item) || tools.some((tool) => tool.name === item)) return
  const there = [...toolGroups, ...tools.map((tool) => tool.name)]
  throw new Error(`${name} has no tool or group '${item}'; there is ${[...new Set(there)].join(', ')}`)
}

function isGroup(item: string): boolean {
  return (toolGroups as readonly string[]).includes(item)
}
