import type { ModelTool } from './model.js'

export interface WireNames {
  tools: readonly ModelTool[]
  /** The tool that the model means. */
  original(name: string): string
  /** The name under which the model has a tool. */
  wire(tool: string): string
}

const maxLength = 64

/** The tools under names that the APIs of models accept: letters, digits, `_` and `-`. Some dialects have dots in theirs. */
export function wireNames(tools: readonly ModelTool[]): WireNames {
  const originals = new Map<string, string>()
  const renamed = tools.map((tool) => {
    const plain = tool.name.replace(/[^\w-]/g, '_')
    let name = plain.slice(0, maxLength)
    for (let count = 2; originals.has(name); count += 1) name = `${plain.slice(0, maxLength - 4)}_${count}`
    originals.set(name, tool.name)
    return { ...tool, name }
  })
  const wireOf = new Map([...originals].map(([name, tool]) => [tool, name]))
  return {
    tools: renamed,
    original: (name) => originals.get(name) ?? name,
    wire: (tool) => wireOf.get(tool) ?? tool,
  }
}
