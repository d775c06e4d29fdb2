/** What the page and the worker that talks to a model's endpoint send each other. */
import type { Message, ModelPart, ModelTool } from '../../models/model.js'

export interface EndpointSettings {
  kind: 'openai' | 'anthropic'
  baseUrl: string
  model: string
  key: string
}

export interface BeginRequest {
  begin: number
  settings: EndpointSettings
  system?: string
  messages: readonly Message[]
  tools: readonly ModelTool[]
}

export type ToWorker = BeginRequest | { abort: number }

export type FromWorker =
  | { id: number; part: ModelPart }
  | { id: number; end: true }
  | { id: number; failure: { message: string; retryable: boolean; retryAfterMs?: number } }
