/** From what the user wrote after `--agent` to an agent. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { chat } from '../../../harness/agents/chat.js'
import { oracle } from '../../../harness/agents/oracle.js'
import { replayed } from '../../../harness/agents/replayed.js'
import { nop, type ScriptedCall, scripted } from '../../../harness/agents/scripted.js'
import { InfraError } from '../../../harness/infra-error.js'
import type { EpisodeJob, RunSettings } from '../../../harness/run-types.js'
import { parseTrace } from '../../../harness/trace/trace.js'
import type { EpisodeAgent } from '../../../harness/types.js'
import { anthropicModel } from '../../../models/anthropic-model.js'
import type { Model } from '../../../models/model.js'
import { openAiModel } from '../../../models/openai-model.js'
import type { Prices } from '../../../models/usage.js'
import { isRecord } from '../../../src/text/is-record.js'
import { UsageError } from '../../terminal/usage-error.js'
import { commandAgent } from '../command-agent.js'
import { readRun, readTrace } from '../results/run-directory.js'
import { defaultExport } from './agent-module.js'

/** An agent, or one for every job. */
export interface LoadedAgent {
  name: string
  for(job: EpisodeJob): Promise<EpisodeAgent>
}

export type AgentSettings = Pick<RunSettings, 'agent' | 'model' | 'prices'>

const kinds = 'oracle, nop, scripted:FILE, replay:DIR, command:COMMAND, chat or the path of a JavaScript module'

/** Throws a `UsageError` for what is not an agent, before anything runs. */
export async function loadAgent(settings: AgentSettings): Promise<LoadedAgent> {
  const { agent: given, model } = settings
  const [kind, rest] = splitKind(given)
  if (model !== undefined && kind !== 'chat') throw new UsageError(`--model is for --agent chat, not ${given}`)
  if (given === 'oracle') return same(oracle)
  if (given === 'nop') return same(nop)
  if (given === 'chat') return same(chat({ model: loadModel(settings) }))
  if (kind === 'scripted') return loadScript(rest)
  if (kind === 'replay') return loadRecorded(rest)
  if (kind === 'command' && rest.trim() !== '') return same(commandAgent(rest))
  return loadModule(given)
}

/** With absolute paths, so that a run can be resumed from anywhere. */
export function absoluteAgent(given: string): string {
  const [kind, rest] = splitKind(given)
  if (kind === 'scripted' || kind === 'replay') return `${kind}:${path.resolve(rest)}`
  return isFile(given) ? path.resolve(given) : given
}

/** Of the file that determines what the agent does, if there is one. */
export function hashAgent(given: string): string | undefined {
  const [kind, rest] = splitKind(given)
  const file = kind === 'scripted' ? rest : given
  if (!isFile(file)) return undefined
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
}

function splitKind(given: string): [kind: string, rest: string] {
  const [, kind = given, rest = ''] = /^([a-z]+):(.*)$/s.exec(given) ?? []
  return [kind, rest]
}

function same(agent: EpisodeAgent): LoadedAgent {
  return { name: agent.name, for: async () => agent }
}

/** `openai:URL#NAME` or `anthropic:NAME`. Keys come from the environment, so that they are in no file and no list of processes. */
function loadModel({ model: given, prices }: AgentSettings): Model {
  if (given === undefined) {
    throw new UsageError('--agent chat requires --model, as in --model openai:http://127.0.0.1:8000/v1#NAME')
  }
  const shared = { ...(prices && { prices: prices satisfies Prices }) }
  const [kind, rest] = splitKind(given)
  if (kind === 'openai') {
    const [baseUrl = '', model = ''] = splitAt(rest, rest.lastIndexOf('#'))
    if (!/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '') || model === '') {
      throw new UsageError(`--model openai: takes URL#NAME, as in openai:https://api.openai.com/v1#NAME, not '${rest}'`)
    }
    return openAiModel({ baseUrl, model, ...keyFrom('OPENAI_API_KEY'), ...shared })
  }
  if (kind === 'anthropic' && rest !== '') {
    const baseUrl = process.env.ANTHROPIC_BASE_URL
    return anthropicModel({ model: rest, ...(baseUrl && { baseUrl }), ...keyFrom('ANTHROPIC_API_KEY'), ...shared })
  }
  throw new UsageError(`--model takes openai:URL#NAME or anthropic:NAME, not '${given}'`)
}

function keyFrom(variable: string): { apiKey?: string } {
  const apiKey = process.env[variable]
  return apiKey === undefined || apiKey === '' ? {} : { apiKey }
}

function splitAt(text: string, index: number): string[] {
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

interface Script {
  calls: readonly ScriptedCall[]
  answer?: string
}

/** A JSON file: calls for every task, or an object with calls, or `{ calls, answer }`, by the id of a task. */
function loadScript(file: string): LoadedAgent {
  if (!isFile(file)) throw new UsageError(`--agent scripted: no such file: ${file}`)
  const content = parseJson(file)
  const forAll = asScript(content)
  if (forAll !== undefined) return same(scripted(forAll.calls, forAll))
  const scripts = Object.entries(isRecord(content) ? content : {}).map(
    ([task, each]) => [task, asScript(each)] as const,
  )
  const bad = scripts.find(([, script]) => script === undefined)
  if (scripts.length === 0 || bad !== undefined) {
    const where = bad === undefined ? '' : `, at ${JSON.stringify(bad[0])}`
    throw new UsageError(`${file}${where}: takes calls such as [{ "tool": "read_file", "args": { "path": "a.txt" } }]`)
  }
  const byTask = new Map(scripts)
  return {
    name: 'scripted',
    async for({ task }) {
      const script = byTask.get(task)
      if (script === undefined) throw new InfraError(`${file} has no calls for this task`)
      return scripted(script.calls, script)
    },
  }
}

function asScript(value: unknown): Script | undefined {
  if (Array.isArray(value)) return value.every(isCall) ? { calls: value } : undefined
  if (!isRecord(value) || !Array.isArray(value.calls) || !value.calls.every(isCall)) return undefined
  const { calls, answer } = value
  if (answer !== undefined && typeof answer !== 'string') return undefined
  return { calls, ...(answer !== undefined && { answer }) }
}

function isCall(value: unknown): value is ScriptedCall {
  return isRecord(value) && typeof value.tool === 'string'
}

/** Makes the calls that another run recorded: those of the same task and trial. */
function loadRecorded(directory: string): LoadedAgent {
  const { file } = readRun(directory)
  return {
    name: 'replay',
    async for(job) {
      const trace = await readTrace(directory, { ...job, agent: file.agentName })
      if (trace === undefined) throw new InfraError(`${directory} has no trace of this task and trial`)
      return { ...replayed(parseTrace(trace)), name: 'replay' }
    },
  }
}

async function loadModule(given: string): Promise<LoadedAgent> {
  const file = path.resolve(given)
  if (!isFile(file)) throw new UsageError(`no agent '${given}': --agent takes ${kinds}`)
  let agent: unknown
  try {
    agent = await defaultExport(file)
  } catch (error) {
    throw new UsageError(`${given} can't be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isAgent(agent)) throw new UsageError(`${given} must export an agent as its default: { name, run }`)
  return same(agent)
}

function isAgent(value: unknown): value is EpisodeAgent {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('run' in value)) return false
  return typeof value.name === 'string' && value.name !== '' && typeof value.run === 'function'
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
