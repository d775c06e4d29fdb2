/** Tools and a prompt that ask the conformance suite questions, in every revision. */

import type { Prompt, Tool } from '../../src/tools/dialect.js'
import { text } from '../../src/tools/make-tool.js'
import { type Question, Questions } from '../../src/tools/questions.js'
import type { CallContext } from '../../src/workspace/workspace.js'
import { prompt, tool } from './define.js'

type Asked = NonNullable<CallContext['asked']>

const name = elicitation('What is your name?', { name: { type: 'string' } })
const confirmation = elicitation('Please confirm', { ok: { type: 'boolean' } })
const capital = sampling('What is the capital of France?', 100)
const roots: Question = { method: 'roots/list' }

const options = ['option1', 'option2', 'option3']
const titled = (noun: string) =>
  ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title: `${title} ${noun}` }))

export const askingTools: Tool[] = [
  asking('test_sampling', ({ answers }, { prompt: wanted }) => {
    if (!answers.answer) throw new Questions({ answer: sampling(String(wanted), 100) })
    return `LLM response: ${JSON.stringify(answers.answer)}`
  }),
  asking('test_elicitation', ({ answers }, { message }) => {
    if (!answers.user) throw new Questions({ user: elicitation(String(message), { response: { type: 'string' } }) })
    return `User response: ${JSON.stringify(answers.user)}`
  }),
  asking('test_elicitation_sep1034_defaults', ({ answers }) => {
    const form = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }
    if (!answers.form) throw new Questions({ form: elicitation('Please look through the form', form, []) })
    return `Elicitation completed: ${JSON.stringify(answers.form)}`
  }),
  asking('test_elicitation_sep1330_enums', ({ answers }) => {
    const form = {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }
    if (!answers.form) throw new Questions({ form: elicitation('Please choose', form, []) })
    return `Elicitation completed: ${JSON.stringify(answers.form)}`
  }),
  asking('test_missing_capability', ({ answers }) => {
    if (!answers.capital) throw new Questions({ capital })
    return 'The client can be asked.'
  }),
  asking('test_streaming_elicitation', ({ answers }) => {
    if (!answers.user_name) throw new Questions({ user_name: name })
    return 'The client has answered.'
  }),
  asking('test_input_required_result_elicitation', ({ answers }) => {
    const given = accepted(answers.user_name)
    if (given === undefined) throw new Questions({ user_name: name })
    return `Hello, ${given.name}!`
  }),
  asking('test_input_required_result_sampling', ({ answers }) => {
    if (!answers.capital_question) throw new Questions({ capital_question: capital })
    return JSON.stringify(answers.capital_question)
  }),
  asking('test_input_required_result_list_roots', ({ answers }) => {
    if (!answers.client_roots) throw new Questions({ client_roots: roots })
    return JSON.stringify(answers.client_roots)
  }),
  asking('test_input_required_result_request_state', ({ answers, state }) => {
    if (state === undefined || !answers.confirm) throw new Questions({ confirm: confirmation }, 'asked')
    return 'state-ok'
  }),
  asking('test_input_required_result_multiple_inputs', ({ answers, state }) => {
    const questions = { user_name: name, greeting: sampling('Generate a greeting', 50), client_roots: roots }
    const isAnswered = Object.keys(questions).every((each) => each in answers)
    if (state === undefined || !isAnswered) throw new Questions(questions, 'asked')
    return JSON.stringify(answers)
  }),
  asking('test_input_required_result_multi_round', ({ answers, state }) => {
    const color = elicitation('Step 2: What is your favorite color?', { color: { type: 'string' } })
    if (state === undefined) throw new Questions({ step1: name }, 'step 1')
    if (state === 'step 1') throw new Questions({ step2: color }, JSON.stringify(answers.step1))
    return `${state} ${JSON.stringify(answers.step2)}`
  }),
  asking('test_input_required_result_tampered_state', ({ answers, state }) => {
    if (state === undefined || !answers.confirm) throw new Questions({ confirm: confirmation }, 'asked')
    return 'Nobody has changed the state.'
  }),
  asking('test_input_required_result_capabilities', ({ can, answers }) => {
    if (Object.keys(answers).length > 0) return JSON.stringify(answers)
    throw new Questions({ ...(can.elicitation && { user_name: name }), ...(can.sampling && { capital }) })
  }),
]

export const askingPrompt: Prompt = prompt('test_input_required_result_prompt', [], (_args, { asked }) => {
  const given = accepted(asked?.answers.user_context)
  if (given !== undefined) return `In this context: ${given.context}`
  throw new Questions({ user_context: elicitation('Which context?', { context: { type: 'string' } }) })
})

function asking(toolName: string, run: (asked: Asked, args: Record<string, unknown>) => string): Tool {
  const properties = { prompt: { type: 'string' }, message: { type: 'string' } }
  return tool(
    toolName,
    async ({ asked }, args) => {
      if (asked === undefined) throw new Error('The dialect asks, so every call has been asked before')
      return text(run(asked, args as Record<string, unknown>))
    },
    { type: 'object', properties },
  )
}

function elicitation(
  message: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): Question {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
  }
}

function sampling(question: string, maxTokens: number): Question {
  const messages = [{ role: 'user', content: { type: 'text', text: question } }]
  return { method: 'sampling/createMessage', params: { messages, maxTokens } }
}

/** The user's input; undefined if the user declined or the answer is invalid. */
function accepted(answer: unknown): Record<string, unknown> | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { action, content } = answer as { action?: unknown; content?: unknown }
  return action === 'accept' && typeof content === 'object' && content !== null ? { ...content } : undefined
}
