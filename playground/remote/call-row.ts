/** One call of a client in the list. */
import type { CallSeen } from '../../src/engine/ui-protocol.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'

const states = {
  waiting: 'waits for you',
  running: 'running',
  done: 'done',
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
} as const

const kinds = { read: 'reads', write: 'changes', command: 'runs' } as const

/** Paths beyond these are not listed in the row. */
const maxPaths = 3

/** Makes the row, or a new one in place of `before`, open if that was. */
export function callElement(app: App, call: CallSeen, client: string, before?: HTMLElement): HTMLElement {
  const { tool, kind, state, atMs, tookMs, changes = [] } = call
  const took = tookMs === undefined ? '' : ` · ${tookMs} ms`
  const details = h(
    'details',
    { open: before?.querySelector('details')?.open ?? false },
    h(
      'summary',
      {},
      h('span', { class: 'who' }, client),
      ` ${kinds[kind]} with `,
      h('code', {}, tool),
      h('span', { class: 'when' }, `${new Date(atMs).toLocaleTimeString()}${took}`),
      h('span', { class: `state ${state}` }, states[state]),
    ),
    h('h4', {}, 'Arguments'),
    h('pre', { tabindex: 0, 'aria-label': 'Arguments' }, argumentsText(call)),
    ...(call.answer === undefined
      ? []
      : [h('h4', {}, 'Answer'), h('pre', { tabindex: 0, 'aria-label': 'Answer' }, call.answer)]),
  )
  return h(
    'li',
    { class: `client-call ${kind} ${state}` },
    details,
    h(
      'div',
      { class: 'paths' },
      ...pathButtons(app, call),
      ...changes.map((id) => button('Show the change', () => void compare(app, call, id))),
      ...changes.map((id) => button('Undo', () => void undo(app, call, id))),
    ),
  )
}

export function pathButtons(app: App, { paths }: CallSeen): HTMLElement[] {
  const { root } = app.workspace.about
  const shown = (path: string) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)
  const more = paths.length - maxPaths
  return [
    ...paths.slice(0, maxPaths).map((path) => {
      return button(shown(path), () => app.emit('show', { path }), { class: 'path', title: `Open ${path}` })
    }),
    ...(more > 0 ? [h('span', {}, `and ${more} more`)] : []),
  ]
}

/** Arguments for people: texts with their line breaks. */
export function argumentsText({ args }: CallSeen): string {
  try {
    const given: unknown = JSON.parse(args)
    if (typeof given !== 'object' || given === null) return args
    return Object.entries(given)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n')
  } catch {
    // They were cut.
    return args
  }
}

async function compare(app: App, { tool }: CallSeen, id: string): Promise<void> {
  const differences = await app.attempt('compare', () => app.workspace.files.run('compareVersions', { only: id }))
  const [first] = (differences ?? []).filter(({ before, after }) => before.kind === 'file' || after.kind === 'file')
  if (first === undefined) return app.notify('There is no text to compare')
  const { openFileText } = await import('../editor/file-text.js')
  const text = (bytes?: Uint8Array) => (bytes === undefined ? '' : (openFileText(bytes)?.text ?? '(not text)'))
  app.emit('compare', {
    path: first.path,
    before: text(first.bytesBefore),
    after: text(first.bytesAfter),
    title: tool,
  })
}

async function undo(app: App, { tool }: CallSeen, id: string): Promise<void> {
  const done = await app.attempt(`undo ${tool}`, () => app.workspace.files.run('undoChange', { id }))
  if (done) app.notify(`Undone: ${tool}`)
}
