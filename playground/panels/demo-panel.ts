/** An agent without a model: a script that works on the sample as an agent would, with the same tools over the same protocol. */
import { type App, describe } from '../page/app.js'
import type { CallResult, Connection } from '../page/connection.js'
import { button, emptyState, h } from '../page/dom.js'
import { mayLeave, samplePlace } from '../page/workspace-places.js'

interface Step {
  says: string
  tool: string
  args: Record<string, unknown>
  /** The script goes on only if the call ends this way. */
  fails?: true
}

const title = 'Demo'

const steps: readonly Step[] = [
  { says: 'I look around first.', tool: 'list_dir', args: { path: '.', depth: 2 } },
  { says: 'Is there anything left to do?', tool: 'grep', args: { pattern: 'TODO' } },
  { says: 'That is in src/berths.ts. I read it.', tool: 'read_file', args: { path: 'src/berths.ts' } },
  {
    says: 'I change the filter — but I misremember the line.',
    tool: 'edit_file',
    args: {
      path: 'src/berths.ts',
      old_string: 'return berths.filter((b) => b.depth > draughtMetres)',
      new_string: 'return berths',
    },
    fails: true,
  },
  {
    says: 'The answer says what stands there. Now it fits.',
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
    says: 'A shell is there too, on the same files.',
    tool: 'bash',
    args: {
      command:
        'grep -rn tideMetres src | wc -l && sort -t, -k2 -n data/arrivals.csv | tail -1 > notes/deepest.txt && cat notes/deepest.txt',
    },
  },
  { says: 'I keep it with git, which needs no program either.', tool: 'git', args: { action: 'init' } },
  { says: 'Everything goes in …', tool: 'git', args: { action: 'add' } },
  {
    says: '… and is committed.',
    tool: 'git',
    args: { action: 'commit', message: 'Berths allow for the tide', author: 'Demo agent <agent@localhost>' },
  },
  { says: 'What did I do in all?', tool: 'history', args: { action: 'list' } },
  { says: 'A mistake: I delete the data …', tool: 'delete', args: { path: 'data', recursive: true } },
  { says: '… and take it back.', tool: 'history', args: { action: 'undo' } },
  { says: 'It is there again. Done.', tool: 'list_dir', args: { path: 'data' } },
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
        'A demo without a key',
        'A script plays the agent for a minute: it explores, edits, fails and recovers, runs a shell, commits and undoes. Watch files, history and traffic meanwhile.',
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
      end('The end. Everything above is in the history and in the traffic log.')
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

  async function perform(connection: Connection, { says, tool, args, fails }: Step): Promise<void> {
    const item = h('li', {}, h('p', {}, says), h('code', {}, `${tool} ${JSON.stringify(args)}`))
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

/** Long enough to read; tests ask for none. */
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
