import type { Dialect } from '../../../tools/dialect.js'
import { text } from '../../../tools/make-tool.js'
import { argumentsOf, asGiven, say } from '../wording.js'
import { applyPatch } from './apply-patch.js'
import { shell } from './shell.js'

/** The tools that OpenAI's models are trained on: `apply_patch` and `shell` of the Responses API. */
export const openai: Dialect = {
  name: 'openai',
  tools: [applyPatch, shell],
  fail(error, workspace, call) {
    const { operation } = argumentsOf(call)
    const { path } = (operation ?? {}) as { path?: unknown }
    return { result: text(`Error: ${say({}, asGiven(error, workspace, [path]), workspace)}`) }
  },
}
