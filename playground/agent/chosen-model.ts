/** The model that the user has chosen, made with the first request and again when another is chosen. */
import type { Model } from '../../models/model.js'
import { browserModel } from './browser-model.js'
import { type EndpointModel, endpointModel } from './endpoint-model.js'
import { keyFor, loadSettings } from './settings.js'

export interface ChosenModel extends Model {
  isChosen(): boolean
  /** The settings are other ones now. */
  forget(): void
}

export function chosenModel(): ChosenModel {
  let made: (Model & Partial<EndpointModel>) | undefined

  function make(): Model & Partial<EndpointModel> {
    const settings = loadSettings()
    if (settings === undefined) throw new Error('No model is chosen')
    const { kind, baseUrl, model } = settings
    return kind === 'browser' ? browserModel() : endpointModel({ kind, baseUrl, model, key: keyFor(settings) })
  }

  return {
    get name() {
      return loadSettings()?.model ?? ''
    },
    stream(request) {
      made ??= make()
      return made.stream(request)
    },
    isChosen: () => loadSettings() !== undefined,
    forget() {
      made?.close?.()
      made = undefined
    },
  }
}
