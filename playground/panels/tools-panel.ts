/** Calls tools by hand, as an agent would: arguments as a form or JSON, and the result exactly as returned. */
import type { App } from '../page/app.js'
import type { CallResult, Connection, ListedTool } from '../page/connection.js'
import { describe } from '../page/describe-error.js'
import { button, emptyState, h } from '../page/dom.js'
import { type SchemaForm, schemaForm } from './schema-form.js'

interface PastCall {
  tool: string
  args: Record<string, unknown>
  result: CallResult | { failed: string }
  tookMs: number
}

const maxCalls = 100

export function toolsPanel(app: App): HTMLElement {
  /** Opened by the first call, or when the traffic panel is shown: the forms do not need it, and loading MCP takes time. */
  let connecting: Promise<Connection> | undefined
  let isConnectionWanted = false
  let tools: ListedTool[] = []
  let form: SchemaForm | undefined
  const calls: PastCall[] = []

  const choice = h('select', { id: 'tool', 'aria-label': 'Tool' })
  const about = h('p', { class: 'about' })
  // Disabled while hidden, so that its required fields do not block sending the JSON.
  const fields = h('fieldset', { 'aria-label': 'Arguments' })
  const raw = h('textarea', {
    class: 'raw',
    rows: 8,
    spellcheck: 'false',
    'aria-label': 'Arguments as JSON',
    hidden: true,
  })
  const asJson = h('input', { type: 'checkbox' })
  const result = h('div', { class: 'result', role: 'status', 'aria-live': 'polite' })
  const past = h('ol', { class: 'calls', 'aria-label': 'Past calls' })

  const pastCalls = h('details', { hidden: true }, h('summary', {}, 'Past calls'), past)
  const submit = h('button', { type: 'submit', class: 'primary', disabled: true }, 'Call')

  for (const name of ['opened', 'lost'] as const) {
    app.on(name, () => {
      submit.disabled = true
    })
  }
  app.on('listed', () => void list())
  app.on('dialect', () => tools.length > 0 && void list())
  app.on('panel', (name) => {
    if (name === 'traffic' && !submit.disabled) void app.attempt('connect', connected)
  })
  choice.addEventListener('change', () => choose())
  asJson.addEventListener('change', () => {
    try {
      if (asJson.checked) raw.value = JSON.stringify(form?.read() ?? {}, null, 2)
      else form?.fill(JSON.parse(raw.value || '{}'))
      raw.hidden = !asJson.checked
      fields.hidden = asJson.checked
      fields.disabled = asJson.checked
    } catch (error) {
      asJson.checked = !asJson.checked
      app.notify(`Invalid arguments: ${describe(error)}`, 'failed')
    }
  })

  async function list(): Promise<void> {
    void connecting?.then((connection) => connection.close()).catch(() => {})
    connecting = undefined
    const { dialect, workspace } = app
    await app.attempt('list the tools', async () => {
      const listed = await workspace.files.listTools({ dialect })
      if (dialect !== app.dialect || workspace !== app.workspace) return
      const before = choice.value
      const schemaBefore = schemaOf(chosen())
      tools = listed
      choice.replaceChildren(...tools.map(({ name }) => h('option', { value: name }, name)))
      choice.value = tools.some(({ name }) => name === before) ? before : (tools[0]?.name ?? '')
      // Keeps the form as filled in when the tool is the same.
      if (schemaBefore === undefined || schemaOf(chosen()) !== schemaBefore) choose()
      submit.disabled = false
      if (isConnectionWanted) await connected()
    })
  }

  /** Lists the tools before the first call, as an agent does. */
  function connected(): Promise<Connection> {
    isConnectionWanted = true
    connecting ??= app.connect().then(async (connection) => {
      await connection.listTools()
      return connection
    })
    const own = connecting
    own.catch(() => {
      if (connecting === own) connecting = undefined
    })
    return own
  }

  function chosen(): ListedTool | undefined {
    return tools.find(({ name }) => name === choice.value)
  }

  function choose(args: Record<string, unknown> = {}): void {
    const tool = chosen()
    const traits = [
      tool?.annotations?.readOnlyHint ? 'read-only' : undefined,
      tool?.annotations?.destructiveHint && !tool.annotations.readOnlyHint ? 'can overwrite or delete' : undefined,
    ].filter(Boolean)
    about.replaceChildren(
      tool?.description ?? '',
      ...(traits.length > 0 ? [' '] : []),
      ...traits.map((trait) => h('span', { class: 'trait' }, String(trait))),
    )
    form = tool && schemaForm(tool.inputSchema)
    form?.fill(args)
    raw.value = JSON.stringify(args, null, 2)
    fields.replaceChildren(...(form ? [form.element] : []))
  }

  function currentArguments(): Record<string, unknown> {
    return asJson.checked ? JSON.parse(raw.value || '{}') : (form?.read() ?? {})
  }

  async function call(): Promise<void> {
    let args: Record<string, unknown>
    try {
      args = currentArguments()
    } catch (error) {
      return app.notify(`Invalid arguments: ${describe(error)}`, 'failed')
    }
    await perform(choice.value, args)
  }

  async function perform(tool: string, args: Record<string, unknown>): Promise<void> {
    let began = performance.now()
    result.setAttribute('aria-busy', 'true')
    const answer = await app.attempt(`call ${tool}`, () =>
      connected()
        .then((connection) => {
          began = performance.now()
          return connection.callTool(tool, args)
        })
        .catch((error) => ({ failed: describe(error) })),
    )
    result.removeAttribute('aria-busy')
    if (answer === undefined) return
    const done = { tool, args, result: answer, tookMs: performance.now() - began }
    calls.unshift(done)
    calls.length = Math.min(calls.length, maxCalls)
    showResult(done)
    drawPast()
  }

  function showResult({ tool, result: answer, tookMs }: PastCall): void {
    const failed = 'failed' in answer || answer.isError === true
    result.className = `result${failed ? ' failed' : ''}`
    result.replaceChildren(
      h('p', { class: 'took' }, `${tool}: ${failed ? 'failed' : 'done'} in ${tookMs.toFixed(1)} ms`),
      ...('failed' in answer ? [h('pre', {}, answer.failed)] : answer.content.map(contentElement)),
      ...('failed' in answer || answer.structuredContent === undefined
        ? []
        : [h('h4', {}, 'structuredContent'), h('pre', {}, JSON.stringify(answer.structuredContent, null, 2))]),
    )
  }

  function drawPast(): void {
    pastCalls.hidden = false
    past.replaceChildren(
      ...calls.map((each) => {
        const failed = 'failed' in each.result || each.result.isError === true
        return h(
          'li',
          { class: failed ? 'failed' : '' },
          h('code', {}, each.tool),
          h('span', { class: 'args' }, JSON.stringify(each.args).slice(0, 120)),
          button('Load', () => load(each), { 'aria-label': `Load the call of ${each.tool}` }),
          button('Replay', () => void perform(each.tool, each.args), {
            'aria-label': `Replay the call of ${each.tool}`,
          }),
          button('Copy code', () => void copyCode(each), {
            'aria-label': `Copy code for the call of ${each.tool}`,
          }),
        )
      }),
    )
  }

  function load({ tool, args, ...rest }: PastCall): void {
    choice.value = tool
    choose(args)
    showResult({ tool, args, ...rest })
  }

  async function copyCode({ tool, args }: PastCall): Promise<void> {
    const code = `await client.callTool({ name: ${JSON.stringify(tool)}, arguments: ${JSON.stringify(args, null, 2)} })\n`
    await app.attempt('copy', async () => {
      await navigator.clipboard.writeText(code)
      app.notify('Copied code that makes this call with any MCP client')
    })
  }

  async function openResources(): Promise<void> {
    await app.attempt('open resources and prompts', async () => {
      const [{ showResources }, connection] = await Promise.all([import('./resources-dialog.js'), connected()])
      await showResources(app, connection)
    })
  }

  result.append(emptyState('Call a tool', 'The result appears here exactly as an agent gets it.'))
  const entry = h(
    'form',
    {
      on: {
        submit: (event) => {
          event.preventDefault()
          void call()
        },
      },
    },
    choice,
    about,
    h('label', { class: 'inline' }, asJson, 'Edit as JSON'),
    fields,
    raw,
    submit,
    button('Resources and prompts…', () => void openResources(), { class: 'link' }),
  )
  return h(
    'section',
    { class: 'panel tools', 'aria-label': 'Tools' },
    entry,
    h('div', { class: 'answers' }, result, pastCalls),
  )
}

function schemaOf(tool: ListedTool | undefined): string | undefined {
  return tool && JSON.stringify([tool.name, tool.inputSchema])
}

function contentElement({ type, text, data, mimeType }: CallResult['content'][number]): HTMLElement {
  if (type === 'image') return h('img', { alt: 'Image in the result', src: `data:${mimeType};base64,${data}` })
  return h('pre', {}, text ?? JSON.stringify({ type, mimeType }))
}
