/** A demo agent without a model: a script that works on the sample project with the same tools over MCP as a real agent. */
import type { App } from '../page/app.js'
import type { CallResult, Connection } from '../page/connection.js'
import { describe } from '../page/describe-error.js'
import { button, emptyState, h } from '../page/dom.js'
import { mayLeave, samplePlace } from '../page/workspace-places.js'

interface Step {
  explanation: string
  tool: string
  args: Record<string, unknown>
  /** The call is expected to fail. */
  fails?: true
}

const title = 'Demo'

const steps: readonly Step[] = [
  { explanation: 'First I look at the project.', tool: 'list_dir', args: { path: '.', depth: 2 } },
  { explanation: 'Is there anything left to do in the code?', tool: 'grep', args: { pattern: 'TODO' } },
  {
    explanation: 'There is a TODO in src/berths.ts. I read the file.',
    tool: 'read_file',
    args: { path: 'src/berths.ts' },
  },
  {
    explanation: 'I edit the filter, but I remember the line wrongly.',
    tool: 'edit_file',
    args: {
      path: 'src/berths.ts',
      old_string: 'return berths.filter((b) => b.depth > draughtMetres)',
      new_string: 'return berths',
    },
    fails: true,
  },
  {
    explanation: 'The error shows the actual line. Now the edit works.',
    tool: 'edit_file',
    args: {
      path: 'src/berths.ts',
      edits: [
        { old_string: '  // TODO: allow for the tide\n', new_string: '' },
        {
          old_string: 'draughtMetres: number): Berth[] {',
          new_string: 'draughtMetres: number, tideMetres = 0): Berth[] {',
        },
        {
          old_string: 'berth.depthMetres > draughtMetres',
          new_string: 'berth.depthMetres + tideMetres > draughtMetres',
        },
      ],
    },
  },
  {
    explanation: 'I can also run shell commands on the same files.',
    tool: 'bash',
    args: {
      command:
        'grep -rn tideMetres src | wc -l && sort -t, -k2 -n data/arrivals.csv | tail -1 > notes/deepest.txt && cat notes/deepest.txt',
    },
  },
  { explanation: 'I create a git repository; git runs in this page too.', tool: 'git', args: { action: 'init' } },
  { explanation: 'I stage all files …', tool: 'git', args: { action: 'add' } },
  {
    explanation: '… and commit them.',
    tool: 'git',
    args: { action: 'commit', message: 'Berths allow for the tide', author: 'Demo agent <agent@localhost>' },
  },
  { explanation: 'The history lists everything I changed.', tool: 'history', args: { action: 'list' } },
  { explanation: 'I delete the data by mistake …', tool: 'delete', args: { path: 'data', recursive: true } },
  { explanation: '… and undo it.', tool: 'history', args: { action: 'undo' } },
  { explanation: 'The data is back. Done.', tool: 'list_dir', args: { path: 'data' } },
]

export function demoPanel(app: App): HTMLElement {
  const story = h('ol', { class: 'story', tabindex: 0, 'aria-label': 'What the agent does' })
  const start = button('Start the demo agent', () => void play(), { class: 'primary' })
  const stop = button('Stop', () => running?.abort(), { disabled: true })
  let running: AbortController | undefined

  app.on('panel', (name) => name === 'demo-start' && void play())
  story.append(
    h(
      'li',
      {},
      emptyState(
        'A demo without an API key',
        'A script plays the agent for a minute: it explores, edits, fails and recovers, runs shell commands, commits and undoes. Watch the files, the history and the traffic.',
      ),
    ),
  )

  async function play(): Promise<void> {
    if (app.workspace.title !== title && !(await mayLeave(app))) return
    running?.abort()
    const own = new AbortController()
    running = own
    start.disabled = true
    stop.disabled = false
    story.replaceChildren()
    let connection: Connection | undefined
    try {
      await app.open({ ...samplePlace(), title })
      connection = await app.connect('polyfs')
      for (const step of steps) {
        await pause(own.signal)
        await perform(connection, step)
      }
      end('The end. You can find all of this in the history and the traffic log.')
    } catch (error) {
      end(own.signal.aborted ? 'Stopped.' : `The demo ended early: ${describe(error)}`)
    } finally {
      void connection?.close()
      if (running === own) {
        start.disabled = false
        stop.disabled = true
      }
    }
  }

  function end(text: string): void {
    const item = h('li', { class: 'end' }, text)
    story.append(item)
    item.scrollIntoView({ block: 'nearest' })
  }

  async function perform(connection: Connection, { explanation, tool, args, fails }: Step): Promise<void> {
    const item = h('li', {}, h('p', {}, explanation), h('code', {}, `${tool} ${JSON.stringify(args)}`))
    story.append(item)
    item.scrollIntoView({ block: 'nearest' })
    const result = await connection.callTool(tool, args)
    const failed = result.isError === true
    item.append(h('pre', { class: failed ? 'failed' : '' }, textOf(result)))
    item.scrollIntoView({ block: 'nearest' })
    if (failed !== (fails ?? false)) throw new Error(`${tool} ${failed ? 'failed' : 'did not fail'}`)
  }

  return h(
    'section',
    { class: 'panel demo', 'aria-label': 'Demo agent' },
    h('div', { class: 'toolbar' }, start, stop),
    story,
  )
}

function textOf({ content }: CallResult): string {
  const text = content.map((item) => item.text ?? `[${item.type}]`).join('\n')
  return text.length > 1200 ? `${text.slice(0, 1200)}\n…` : text
}

/** Long enough to read; tests skip it. */
function pause(signal: AbortSignal): Promise<void> {
  const ms = new URLSearchParams(location.hash.slice(1)).has('fast') ? 0 : 3500
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
