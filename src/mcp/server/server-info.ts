import type { Dialect } from '../../tools/dialect.js'
import { version } from '../../version.js'

/** How a server of a dialect introduces itself, and what it can do. */
export function introductionOf(dialect: Dialect) {
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

/** True for dialects that know how a value can go on. */
export function completes({ resources, prompts }: Dialect): boolean {
  return resources?.complete !== undefined || prompts?.some(({ complete }) => complete !== undefined) === true
}
