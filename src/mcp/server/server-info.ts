import type { Dialect } from '../../tools/dialect.js'
import { version } from '../../version.js'

/** Name, capabilities and instructions of a dialect's server, as `initialize` returns them. */
export function describeServer(dialect: Dialect) {
  return {
    serverInfo: dialect.serverInfo ?? { name: 'polyfs', version },
    capabilities: {
      tools: {},
      ...(dialect.resources && { resources: { subscribe: true } }),
      ...(dialect.prompts && { prompts: {} }),
      ...(dialect.logs && { logging: {} }),
      ...(completes(dialect) && { completions: {} }),
    },
    ...(dialect.instructions !== undefined && { instructions: dialect.instructions }),
  }
}

/** True for dialects that can complete values. */
export function completes({ resources, prompts }: Dialect): boolean {
  return resources?.complete !== undefined || prompts?.some(({ complete }) => complete !== undefined) === true
}
