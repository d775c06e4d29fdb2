/** Asks for the model: where it is, what it is called, and its key. */
import { showDialog } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'
import { originOf } from '../page/other-origin.js'
import { hasBrowserModel } from './browser-model.js'
import {
  defaultUrls,
  keyFor,
  knownUrls,
  loadSettings,
  type ModelKind,
  type ModelSettings,
  saveSettings,
} from './settings.js'

/** True when the user has chosen one. */
export function askForModel(): Promise<boolean> {
  const now: ModelSettings = loadSettings() ?? {
    kind: 'openai',
    baseUrl: defaultUrls.openai,
    model: '',
    system: '',
    rememberKey: false,
  }
  const kind = h(
    'select',
    {},
    h('option', { value: 'openai' }, 'OpenAI-compatible endpoint'),
    h('option', { value: 'anthropic' }, 'Anthropic'),
    h(
      'option',
      { value: 'browser', disabled: !hasBrowserModel() },
      `This browser’s own model${hasBrowserModel() ? '' : ' (it has none)'}`,
    ),
  )
  kind.value = now.kind
  const url = h('input', { type: 'url', value: now.baseUrl, list: 'agent-endpoints', spellcheck: 'false' })
  const endpoints = h(
    'datalist',
    { id: 'agent-endpoints' },
    ...knownUrls.map(({ url: value, name }) => h('option', { value }, name)),
  )
  const model = h('input', {
    type: 'text',
    value: now.model,
    spellcheck: 'false',
    autocomplete: 'off',
    placeholder: 'its name at the endpoint',
  })
  const key = h('input', {
    type: 'password',
    value: keyFor(now),
    autocomplete: 'off',
    placeholder: 'none, for a model on this computer',
  })
  const remember = h('input', { type: 'checkbox', ...(now.rememberKey && { checked: true }) })
  const price = (value?: number) =>
    h('input', { type: 'number', min: 0, step: 'any', value: value ?? '', placeholder: 'unknown' })
  const [input, output] = [price(now.prices?.input), price(now.prices?.output)]
  const system = h('textarea', { rows: 2, placeholder: 'How it should work; optional' })
  system.value = now.system
  const fault = h('p', { class: 'remark failed', role: 'alert', hidden: true })

  const ofEndpoint = [
    h('label', {}, 'Base URL', url, endpoints),
    h('label', {}, 'Model', model),
    h('label', {}, 'API key', key),
    h('label', { class: 'inline' }, remember, 'Remember the key on this computer'),
    h(
      'p',
      { class: 'hint' },
      'Without this, the key is forgotten when the tab is closed. It is sent to this endpoint only, and is in no export, log or address.',
    ),
    h(
      'div',
      { class: 'prices' },
      h('label', {}, 'Price of a million tokens in', input),
      h('label', {}, 'and out', output),
    ),
  ]
  kind.addEventListener('change', () => {
    if (Object.values(defaultUrls).includes(url.value)) url.value = defaultUrls[kind.value as ModelKind]
    takeStoredKey()
    showFields()
  })
  // A key belongs to its endpoint; one that was just typed is for the endpoint that is being entered.
  let storedKey = key.value
  url.addEventListener('change', takeStoredKey)
  function takeStoredKey(): void {
    if (key.value !== storedKey) return
    storedKey = keyFor({ baseUrl: url.value })
    key.value = storedKey
  }
  function showFields(): void {
    for (const field of ofEndpoint) field.hidden = kind.value === 'browser'
  }
  showFields()

  function chosen(): ModelSettings {
    const prices =
      input.value === '' && output.value === ''
        ? undefined
        : { input: Number(input.value), output: Number(output.value) }
    return {
      kind: kind.value as ModelKind,
      baseUrl: url.value.trim().replace(/\/+$/, ''),
      model: model.value.trim(),
      system: system.value.trim(),
      rememberKey: remember.checked,
      ...(prices && { prices }),
    }
  }

  return new Promise((resolve) => {
    let isSaved = false
    const form = h(
      'form',
      { class: 'model-form', novalidate: true },
      h('label', {}, 'Kind', kind),
      ...ofEndpoint,
      h('label', {}, 'Instructions', system),
      fault,
      h(
        'div',
        { class: 'actions' },
        button('Cancel', () => dialog.close()),
        h('button', { type: 'submit', class: 'primary' }, 'Use this model'),
      ),
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const settings = chosen()
      const problem = problemWith(settings)
      fault.hidden = problem === undefined
      fault.textContent = problem ?? ''
      if (problem !== undefined) return
      saveSettings(settings, key.value.trim())
      isSaved = true
      dialog.close()
    })
    const dialog = showDialog('The agent’s model', form)
    dialog.addEventListener('close', () => resolve(isSaved))
  })
}

function problemWith({ kind, baseUrl, model }: ModelSettings): string | undefined {
  if (kind === 'browser') return undefined
  if (originOf(baseUrl) === undefined) return 'The base URL has to begin with http:// or https://.'
  if (new URL(baseUrl).username !== '') return 'Enter the key below, not in the URL.'
  return model === '' ? 'Enter the name of a model.' : undefined
}
