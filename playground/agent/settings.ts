/** Which model the agent uses. The key stays in this tab unless the user wants otherwise, and belongs to the endpoint it was entered for. */
import { originOf } from '../page/other-origin.js'

export type ModelKind = 'openai' | 'anthropic' | 'browser'

export interface ModelSettings {
  kind: ModelKind
  /** Without a slash at the end; unused by the browser's own model. */
  baseUrl: string
  model: string
  /** Instructions before the conversation; empty for our own. */
  system: string
  /** What a million tokens cost; undefined where the user does not say. */
  prices?: { input: number; output: number }
  rememberKey: boolean
}

export const defaultUrls: Record<ModelKind, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  browser: '',
}

/** Endpoints that many have. */
export const knownUrls = [
  { url: defaultUrls.openai, name: 'OpenAI' },
  { url: 'https://openrouter.ai/api/v1', name: 'OpenRouter' },
  { url: 'http://localhost:11434/v1', name: 'Ollama' },
  { url: 'http://localhost:1234/v1', name: 'LM Studio' },
  { url: 'http://localhost:8000/v1', name: 'vLLM' },
]

const settingsName = 'polyfs-agent-model'
const keyName = 'polyfs-agent-key'

/** Undefined until the user has chosen a model. */
export function loadSettings(): ModelSettings | undefined {
  const stored = parsed(localStorage.getItem(settingsName)) as Partial<ModelSettings> | undefined
  if (stored?.kind === undefined || !(stored.kind in defaultUrls)) return undefined
  const { kind, baseUrl = defaultUrls[kind], model = '', system = '', prices, rememberKey = false } = stored
  return { kind, baseUrl, model, system, rememberKey, ...(prices && { prices }) }
}

export function saveSettings(settings: ModelSettings, key: string): void {
  localStorage.setItem(settingsName, JSON.stringify(settings))
  localStorage.removeItem(keyName)
  sessionStorage.removeItem(keyName)
  if (key === '') return
  const place = settings.rememberKey ? localStorage : sessionStorage
  place.setItem(keyName, JSON.stringify({ origin: originOf(settings.baseUrl), key }))
}

/** Empty where there is none for this endpoint: a key must not reach another one. */
export function keyFor({ baseUrl }: Pick<ModelSettings, 'baseUrl'>): string {
  const stored = parsed(sessionStorage.getItem(keyName) ?? localStorage.getItem(keyName)) as
    | { origin?: unknown; key?: unknown }
    | undefined
  return stored?.origin === originOf(baseUrl) && typeof stored?.key === 'string' ? stored.key : ''
}

export function describeModel({ kind, baseUrl, model }: ModelSettings): string {
  if (kind === 'browser') return 'This browser’s model'
  return `${model} · ${originOf(baseUrl)?.replace(/^https?:\/\//, '') ?? baseUrl}`
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
