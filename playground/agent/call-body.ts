/** What a card shows of a call: a difference, a command with its output, matches as links, or the answer as it is. */
import type { Call } from '../../agent/conversation.js'
import { join } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'
import { diffElement } from './diff-lines.js'
import type { ChangedText } from './show-work.js'

type Args = Readonly<Record<string, unknown>>

/** Longer output is folded. */
const maxOpenLines = 12

/** What the call is about, in a few words. */
export function subjectOf(tool: string, args: Args): string {
  const { path, paths, pattern, command, action, source, destination, glob } = args
  if (tool === 'bash') return ''
  if (typeof pattern === 'string') return `${pattern}${typeof path === 'string' ? ` in ${path}` : ''}`
  if (typeof source === 'string') return `${source} → ${text(destination)}`
  if (Array.isArray(paths)) return paths.map(text).join(', ')
  return [action, path, glob, command].filter((each) => typeof each === 'string').join(' ')
}

/** While the call is written, or waits for a yes: what it would do. */
export function previewOf(tool: string, args: Args): HTMLElement[] {
  if (tool === 'bash') return [commandElement(text(args.command))]
  const edits = Array.isArray(args.edits) ? args.edits.filter(isRecord) : [args]
  const differences = edits.flatMap(({ old_string: before, new_string: after, content }) => {
    if (typeof content === 'string' && before === undefined) return [diffElement('', content)]
    return typeof before === 'string' || typeof after === 'string' ? [diffElement(text(before), text(after))] : []
  })
  if (typeof args.patch === 'string') return [h('pre', { class: 'diff', tabindex: 0 }, args.patch)]
  return differences
}

/** A call that has ended; what it changed is added when it is known. */
export function callBody(app: App, { tool, state, args = {}, output = '' }: Call): HTMLElement[] {
  if (tool === 'bash') return [commandElement(text(args.command)), outputElement(output, state)]
  if (state !== 'done') return [...(state === 'denied' ? previewOf(tool, args) : []), outputElement(output, state)]
  if (tool === 'grep') return [matchesElement(app, output)]
  if (tool === 'glob') return [pathsElement(app, output)]
  return [outputElement(output, state)]
}

/** What a call changed, file by file. */
export function changesBody(
  app: App,
  call: Call,
  { texts, others }: { texts: readonly ChangedText[]; others: number },
): HTMLElement[] {
  const command = call.tool === 'bash' ? callBody(app, call) : []
  const differences = texts.flatMap(({ path, before, after, isDeleted }) => [
    isDeleted
      ? h('p', { class: 'call-path' }, `${path} (deleted)`)
      : h('p', { class: 'call-path' }, link(app, path, { path })),
    diffElement(before, after),
  ])
  const more =
    others === 0 ? [] : [h('p', { class: 'summary' }, `and ${others} other ${others === 1 ? 'path' : 'paths'}`)]
  return [...command, ...differences, ...more]
}

function commandElement(command: string): HTMLElement {
  return h('pre', { class: 'command', tabindex: 0 }, `$ ${command}`)
}

function outputElement(output: string, state: Call['state']): HTMLElement {
  const lines = output === '' ? 0 : output.split('\n').length
  const shown = h('pre', { class: 'output', tabindex: 0 }, output === '' ? '(nothing)' : output)
  if (lines <= maxOpenLines) return shown
  return h('details', { open: state === 'failed' }, h('summary', {}, `${lines} lines`), shown)
}

/** `path` on a line of its own, then `number: text`. */
function matchesElement(app: App, output: string): HTMLElement {
  let path = ''
  const lines = output.split('\n').map((line) => {
    const [, number, rest] = /^(\d+)[:-] ?(.*)$/.exec(line) ?? []
    if (number !== undefined)
      return h('div', { class: 'match-line' }, link(app, `${number}: ${rest}`, { path, line: Number(number) }))
    if (line !== '' && !line.startsWith('[')) path = line
    return h('div', { class: line.startsWith('[') ? 'summary' : 'call-path' }, line)
  })
  const matches = h('div', { class: 'call-matches' }, ...lines)
  if (lines.length <= maxOpenLines) return matches
  return h('details', {}, h('summary', {}, `${lines.length} lines`), matches)
}

function pathsElement(app: App, output: string): HTMLElement {
  const lines = output
    .split('\n')
    .map((line) =>
      h(
        'div',
        { class: line.startsWith('[') ? 'summary' : '' },
        line.startsWith('[') || line === '' ? line : link(app, line, { path: line }),
      ),
    )
  const found = h('div', { class: 'call-matches' }, ...lines)
  return lines.length <= maxOpenLines ? found : h('details', {}, h('summary', {}, `${lines.length} lines`), found)
}

function link(app: App, label: string, { path, line }: { path: string; line?: number }): HTMLElement {
  const show = () => {
    const whole = path.startsWith('/') ? path : join(app.workspace.about.root, path)
    app.emit('show', { path: whole, ...(line !== undefined && { line }) })
  }
  return button(label, show, { class: 'link' })
}

function isRecord(value: unknown): value is Args {
  return typeof value === 'object' && value !== null
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
