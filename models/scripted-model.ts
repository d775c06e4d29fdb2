import { pause } from './ask-model.js'
import type { Model, ModelPart } from './model.js'

/** What a scripted model says and does in one answer. */
export interface ScriptedStep {
  text?: string
  calls?: readonly { tool: string; args: Readonly<Record<string, unknown>> }[]
}

export interface ScriptedModelOptions {
  name?: string
  /** Between words and before calls, so that people can follow. Default: 0. */
  wordMs?: number
  /** Before each answer. Default: 0. */
  stepMs?: number
}

/** A model without a model: its answers are given. Each request gets the next one, whatever the tools have answered; after the last one it says nothing. */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): Model {
  const { name = 'script', wordMs = 0, stepMs = 0 } = options
  let next = 0
  return {
    name,
    async *stream({ signal }): AsyncGenerator<ModelPart> {
      const number = next
      const { text = '', calls = [] } = steps[number] ?? {}
      if (stepMs > 0) await pause(stepMs, signal)
      for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
        if (wordMs > 0) await pause(wordMs, signal)
        yield { type: 'text', text: word }
      }
      for (const [index, { tool, args }] of calls.entries()) {
        const id = `script-${number + 1}-${index + 1}`
        const written = JSON.stringify(args)
        yield { type: 'writing', id, tool, text: written }
        if (wordMs > 0) await pause(wordMs, signal)
        yield { type: 'call', id, tool, args: written }
      }
      // A request that is repeated gets the same answer.
      next = number + 1
    },
  }
}
