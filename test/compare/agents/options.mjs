/** The command line of `npm run compare -- agents`. */
import { parseArgs } from 'node:util'

const servers = ['polyfs', 'official']
const providers = ['openai', 'anthropic']

const flags = {
  help: { type: 'boolean', short: 'h' },
  model: { type: 'string' },
  provider: { type: 'string' },
  'base-url': { type: 'string' },
  tasks: { type: 'string' },
  servers: { type: 'string' },
  trials: { type: 'string' },
  out: { type: 'string' },
  'max-calls': { type: 'string' },
  'max-tokens': { type: 'string' },
  timeout: { type: 'string' },
}

const numbers = { trials: 1, 'max-calls': 60, 'max-tokens': 1_000_000, timeout: 300 }

/** The options, or a sentence that says what is wrong. */
export function readOptions(argv, taskIds) {
  let values
  try {
    values = parseArgs({ args: argv, options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    return error.message
  }
  const list = (name, known) => {
    const chosen = values[name]?.split(',') ?? known
    const unknown = chosen.find((one) => !known.includes(one))
    if (unknown !== undefined) throw new Error(`--${name}: there is no ${unknown}; there are ${known.join(', ')}`)
    return chosen
  }
  const number = (name) => {
    const value = Number(values[name] ?? numbers[name])
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1`)
    return value
  }
  try {
    return {
      help: values.help ?? false,
      model: modelOf(values),
      tasks: list('tasks', taskIds),
      servers: list('servers', servers),
      trials: number('trials'),
      out: values.out,
      maxCalls: number('max-calls'),
      maxTokens: number('max-tokens'),
      timeoutMs: number('timeout') * 1000,
    }
  } catch (error) {
    return error.message
  }
}

/** How to reach the model, without its key; undefined if none is named. */
function modelOf(values) {
  const { model: name, provider = providers[0], 'base-url': baseUrl } = values
  if (name === undefined) {
    const needing = ['provider', 'base-url', 'trials', 'out', 'max-calls', 'max-tokens', 'timeout']
    const given = needing.find((flag) => values[flag] !== undefined)
    if (given !== undefined) throw new Error(`--${given} needs --model`)
    return undefined
  }
  if (!providers.includes(provider)) throw new Error(`--provider is ${providers.join(' or ')}`)
  if (baseUrl !== undefined && !/^https?:$/.test(protocolOf(baseUrl)))
    throw new Error('--base-url takes an http or https address')
  return { name, provider, baseUrl }
}

function protocolOf(address) {
  return URL.canParse(address) ? new URL(address).protocol : ''
}

export function help(tasks) {
  return `Usage: npm run compare -- agents [options]

Whole tasks on a generated repository, with polyfs and with the official file server. Without --model, scripts play the calls of
a good agent; with it, a model does the tasks. What it did is judged by the bytes on disk and by its answer.

  --tasks LIST       only these tasks, separated by commas
  --servers LIST     polyfs, official, or both (default)
  --model NAME       let this model do the tasks
  --provider NAME    the format of its API: openai (chat completions, the default) or anthropic (messages)
  --base-url URL     where its API is (default https://api.openai.com/v1 or https://api.anthropic.com/v1)
  --trials N         times that each task is done (default ${numbers.trials})
  --out FILE         append a line of JSON with the transcript of each trial
  --max-calls N      calls of tools in a trial (default ${numbers['max-calls']})
  --max-tokens N     tokens that a trial may read and write (default ${numbers['max-tokens']})
  --timeout S        seconds for each answer of the model (default ${numbers.timeout})
  -h, --help         show this

The key is read from POLYFS_MODEL_KEY, or from OPENAI_API_KEY or ANTHROPIC_API_KEY. It is sent to the API and nowhere else.

Tasks:
${tasks.map(({ id, title }) => `  ${id.padEnd(17)}${title}`).join('\n')}`
}
