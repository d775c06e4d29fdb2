/** Calls tools by hand, as an agent would: arguments as a form or JSON, and the result exactly as returned. */
import type { App } from '../page/app.js'
import type { Connection, ListedTool } from '../page/connection.js'
import { describe } from '../page/describe-error.js'
import { button, h } from '../page/dom.js'
import { argumentsEntry } from './arguments-entry.js'
import { pastCalls } from './past-calls.js'

export function toolsPanel(app: App): HTMLElement {
  /** Opened by the first call, or when the traffic panel is shown: the forms do not need it, and loading MCP takes time. */
  let connecting: Promise<Connection> | undefined
  let isConnectionWanted = false
  let tools: ListedTool[] = []

  const choice = h('select', { id: 'tool', 'aria-label': 'Tool' })
  const about = h('p', { class: 'about' })
  const entry = argumentsEntry(app)
  const calls = pastCalls(app, {
    load({ tool, args }) {
      choice.value = tool
      choose(args)
    },
    replay: ({ tool, args }) => void perform(tool, args),
  })
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
    entry.show(tool, args)
  }

  async function call(): Promise<void> {
    let args: Record<string, unknown>
    try {
      args = entry.read()
    } catch (error) {
      return app.notify(`Invalid arguments: ${describe(error)}`, 'failed')
    }
    await perform(choice.value, args)
  }

  async function perform(tool: string, args: Record<string, unknown>): Promise<void> {
    let began = performance.now()
    calls.setBusy(true)
    const answer = await app.attempt(`call ${tool}`, () =>
      connected()
        .then((connection) => {
          began = performance.now()
          return connection.callTool(tool, args)
        })
        .catch((error) => ({ failed: describe(error) })),
    )
    calls.setBusy(false)
    if (answer === undefined) return
    calls.add({ tool, args, result: answer, tookMs: performance.now() - began })
  }

  async function openResources(): Promise<void> {
    await app.attempt('open resources and prompts', async () => {
      const [{ showResources }, connection] = await Promise.all([import('./resources-dialog.js'), connected()])
      await showResources(app, connection)
    })
  }

  const form = h(
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
    ...entry.elements,
    submit,
    button('Resources and prompts…', () => void openResources(), { class: 'link' }),
  )
  return h('section', { class: 'panel tools', 'aria-label': 'Tools' }, form, calls.element)
}

function schemaOf(tool: ListedTool | undefined): string | undefined {
  return tool && JSON.stringify([tool.name, tool.inputSchema])
}
