/** What the server offers besides tools: files as resources, and prompts; with completions where it has them. Loaded when it is opened. */
import type { App } from '../page/app.js'
import type { Connection } from '../page/connection.js'
import { describe } from '../page/describe-error.js'
import { showDialog } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'

interface Offered {
  resources: Resource[]
  templates: Template[]
  prompts: Prompt[]
}

interface Resource {
  uri: string
  name: string
}

interface Template {
  uriTemplate: string
}

interface Prompt {
  name: string
  description?: string
  arguments?: { name: string; description?: string; required?: boolean }[]
}

export async function showResources(app: App, connection: Connection): Promise<void> {
  const offered = await app.attempt('list resources and prompts', () => list(connection))
  if (offered === undefined) return
  const dialog = showDialog(
    'Resources and prompts',
    h('p', { class: 'summary' }, 'What the server offers besides tools. The answers are those that an agent gets.'),
    resourcesPart(connection, offered),
    promptsPart(connection, offered.prompts),
    h(
      'div',
      { class: 'actions' },
      button('Close', () => dialog.close()),
    ),
  )
}

async function list(connection: Connection): Promise<Offered> {
  // A dialect without them answers that there is no such method.
  const ask = async <Answer>(method: string): Promise<Partial<Answer>> =>
    connection.request<Answer>(method, {}).catch(() => ({}))
  const [{ resources = [] }, { resourceTemplates = [] }, { prompts = [] }] = await Promise.all([
    ask<{ resources: Resource[] }>('resources/list'),
    ask<{ resourceTemplates: Template[] }>('resources/templates/list'),
    ask<{ prompts: Prompt[] }>('prompts/list'),
  ])
  return { resources, templates: resourceTemplates, prompts }
}

function resourcesPart(connection: Connection, { resources, templates }: Offered): HTMLElement {
  const [template] = templates
  if (resources.length === 0 && template === undefined) return nothing('Resources', 'This dialect has no resources.')
  const choices = h(
    'datalist',
    { id: 'resources' },
    ...resources.map(({ uri, name }) => h('option', { value: uri }, name)),
  )
  const uri = h('input', {
    type: 'text',
    list: 'resources',
    'aria-label': 'Address of a resource',
    placeholder: template?.uriTemplate ?? '',
    value: resources[0]?.uri ?? '',
    spellcheck: 'false',
    required: true,
  })
  const result = h('pre', { class: 'snippet', hidden: true, tabindex: 0, 'aria-label': 'The resource' })
  const variable = /^(.*?)\{\+?(\w+)\}$/.exec(template?.uriTemplate ?? '')
  if (template && variable) {
    const [, before = '', name = ''] = variable
    uri.addEventListener('input', async () => {
      if (!uri.value.startsWith(before)) return
      const ref = { type: 'ref/resource', uri: template.uriTemplate }
      const found = await completions(connection, ref, { name, value: uri.value.slice(before.length) })
      if (found.length > 0) choices.replaceChildren(...found.map((value) => h('option', { value: before + value })))
    })
  }
  return part('Resources', [h('label', {}, 'Address', uri), choices], 'Read', result, () =>
    connection.request('resources/read', { uri: uri.value }),
  )
}

function promptsPart(connection: Connection, prompts: readonly Prompt[]): HTMLElement {
  if (prompts.length === 0) return nothing('Prompts', 'This dialect has no prompts.')
  const choice = h(
    'select',
    { 'aria-label': 'Prompt' },
    ...prompts.map(({ name }) => h('option', { value: name }, name)),
  )
  const about = h('p', { class: 'summary' })
  const fields = h('div', { class: 'fields' })
  const result = h('pre', { class: 'snippet', hidden: true, tabindex: 0, 'aria-label': 'The messages of the prompt' })

  function draw(): void {
    const prompt = prompts.find(({ name }) => name === choice.value)
    about.textContent = prompt?.description ?? ''
    fields.replaceChildren(...(prompt?.arguments ?? []).map((argument) => field(prompt?.name ?? '', argument)))
  }

  function field(
    prompt: string,
    { name, description = '', required = false }: { name: string; description?: string; required?: boolean },
  ): HTMLElement {
    const choices = h('datalist', { id: `prompt-${name}` })
    const input = h('input', { type: 'text', name, list: `prompt-${name}`, required, spellcheck: 'false' })
    input.addEventListener('input', async () => {
      const found = await completions(connection, { type: 'ref/prompt', name: prompt }, { name, value: input.value })
      choices.replaceChildren(...found.map((value) => h('option', { value })))
    })
    return h('label', { title: description }, name, input, choices)
  }

  choice.addEventListener('change', draw)
  draw()
  return part('Prompts', [choice, about, fields], 'Get', result, () => {
    const given = [...fields.querySelectorAll('input')].filter(({ value }) => value !== '')
    const args = Object.fromEntries(given.map(({ name, value }) => [name, value]))
    return connection.request('prompts/get', { name: choice.value, arguments: args })
  })
}

/** Empty where the server has none. */
async function completions(connection: Connection, ref: object, argument: object): Promise<string[]> {
  const answer = await connection
    .request<{ completion: { values: string[] } }>('completion/complete', { ref, argument })
    .catch(() => undefined)
  return answer?.completion.values ?? []
}

function part(
  title: string,
  content: Node[],
  action: string,
  result: HTMLElement,
  run: () => Promise<unknown>,
): HTMLElement {
  const form = h(
    'form',
    { 'aria-label': title },
    h('h3', {}, title),
    ...content,
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, action)),
    result,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = await run().catch((error) => describe(error))
    result.hidden = false
    result.textContent = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)
  })
  return form
}

function nothing(title: string, text: string): HTMLElement {
  return h('section', { 'aria-label': title }, h('h3', {}, title), h('p', { class: 'summary' }, text))
}
