import type { DialectName } from '../../../src/dialects/registry.js'

export interface Call {
  dialect: DialectName
  tool: string
  args: Record<string, unknown>
}

export const files: Record<string, string | Record<string, string>>
export const calls: Call[]
