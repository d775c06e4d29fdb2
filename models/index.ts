/** polyfs/models: models behind one interface, for agents (`polyfs/agent`) and evaluations (`polyfs/harness`). */
export {
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  type AiSdkReader,
  aiSdkModel,
} from './ai-sdk-model.js'
export { type AnthropicModelOptions, anthropicModel } from './anthropic-model.js'
export {
  type AnswerEnd,
  type AnswerPart,
  type CallAnswer,
  type Message,
  type Model,
  ModelError,
  type ModelErrorOptions,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
} from './model.js'
export { type ModelFetch, ModelFetchError, type ModelFetchOptions, modelFetch } from './model-fetch.js'
export { type OpenAiModelOptions, openAiModel } from './openai-model.js'
export type { ConnectionOptions } from './request-json.js'
export { type ScriptedModelOptions, type ScriptedStep, scriptedModel } from './scripted-model.js'
export { type TextCompletion, type TextModelOptions, textModel } from './text-model.js'
export { costOf, type Prices, type Usage } from './usage.js'
