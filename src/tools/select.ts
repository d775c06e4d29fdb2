import { type Dialect, type Tool, type ToolGroup, toolGroups } from './dialect.js'

/**
 * The dialect with some of its tools: `spec` lists names and groups, such as `read,search` or `edit,-delete`. Items that begin with `-` are
 * left out, those with `+` added to the usual ones; if only such items are listed, all other tools remain. What is asked for by name is listed
 * beside a shell, too. The order stays. Throws for an unknown name, and lists the known ones.
 */
export function selectTools(dialect: Dialect, spec: string | readonly string[]): Dialect {
  const items = (typeof spec === 'string' ? spec.split(',') : spec).map((item) => item.trim()).filter(Boolean)
  for (const item of items) requireKnown(dialect, item.replace(/^[-+]/, ''))
  const marked = (mark: string) => items.filter((item) => item.startsWith(mark)).map((item) => item.slice(1))
  const [unwanted, added] = [marked('-'), marked('+')]
  const alone = items.filter((item) => !/^[-+]/.test(item))
  const asked = [...alone, ...added]
  return {
    ...dialect,
    tools: dialect.tools
      .filter((tool) => (alone.length === 0 || names(tool, asked)) && !names(tool, unwanted))
      .map((tool) => (names(tool, asked) ? listed(tool) : tool)),
  }
}

/** Listed in every workspace that can serve it. */
function listed(tool: Tool): Tool {
  if (!tool.unlistedBesideShell) return tool
  const { structured } = tool
  return { ...tool, unlistedBesideShell: false, ...(structured && { structured: () => listed(structured()) }) }
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
