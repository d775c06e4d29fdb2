/** The model that some browsers have built in. */
import { type Model, ModelError } from '../../models/model.js'
import { type TextCompletion, textModel } from '../../models/text-model.js'

/** The part of the Prompt API that is used. */
interface LanguageModelApi {
  availability(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>
  create(options: {
    initialPrompts: readonly { role: string; content: string }[]
    signal: AbortSignal
  }): Promise<LanguageModelSession>
}

interface LanguageModelSession {
  promptStreaming(text: string, options: { responseConstraint: object; signal: AbortSignal }): ReadableStream<string>
  destroy(): void
}

/** A small model does better with a few tools. */
const fewTools = ['list_dir', 'glob', 'grep', 'read_file', 'write_file', 'edit_file', 'delete', 'bash']

export function hasBrowserModel(): boolean {
  return api() !== undefined
}

export function browserModel(): Model {
  return textModel({ name: 'the browser’s model', tools: fewTools, complete })
}

async function* complete({ system, messages, schema, signal }: TextCompletion): AsyncGenerator<string> {
  const found = api()
  if (found === undefined || (await found.availability()) === 'unavailable') {
    throw new ModelError('This browser has no model of its own that this page could use')
  }
  const earlier = messages.slice(0, -1)
  const session = await found.create({ initialPrompts: [{ role: 'system', content: system }, ...earlier], signal })
  try {
    const reader = session
      .promptStreaming(messages.at(-1)?.content ?? '', { responseConstraint: schema, signal })
      .getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    throw new ModelError(error instanceof Error ? error.message : String(error), { cause: error })
  } finally {
    session.destroy()
  }
}

function api(): LanguageModelApi | undefined {
  return (globalThis as { LanguageModel?: LanguageModelApi }).LanguageModel
}
