/** The calls that were made by hand, newest first, and the result of one of them exactly as it was returned. */
import type { App } from '../page/app.js'
import type { CallResult } from '../page/connection.js'
import { button, emptyState, h } from '../page/dom.js'

export interface PastCall {
  tool: string
  args: Record<string, unknown>
  result: CallResult | { failed: string }
  tookMs: number
}

export interface PastCalls {
  readonly element: HTMLElement
  add(call: PastCall): void
  /** A call is being made, or not any more. */
  setBusy(isBusy: boolean): void
}

export interface PastCallsOptions {
  /** The user wants to change the arguments of a call, or to make it again. */
  load(call: PastCall): void
  replay(call: PastCall): void
}

const maxCalls = 100

export function pastCalls(app: App, { load, replay }: PastCallsOptions): PastCalls {
  const calls: PastCall[] = []
  const result = h(
    'div',
    { class: 'result', role: 'status', 'aria-live': 'polite' },
    emptyState('Call a tool', 'The result appears here exactly as an agent gets it.'),
  )
  const list = h('ol', { class: 'calls', 'aria-label': 'Past calls' })
  const past = h('details', { hidden: true }, h('summary', {}, 'Past calls'), list)

  function showResult({ tool, result: answer, tookMs }: PastCall): void {
    const failed = isFailed(answer)
    result.className = `result${failed ? ' failed' : ''}`
    result.replaceChildren(
      h('p', { class: 'took' }, `${tool}: ${failed ? 'failed' : 'done'} in ${tookMs.toFixed(1)} ms`),
      ...('failed' in answer ? [h('pre', {}, answer.failed)] : answer.content.map(contentElement)),
      ...('failed' in answer || answer.structuredContent === undefined
        ? []
        : [h('h4', {}, 'structuredContent'), h('pre', {}, JSON.stringify(answer.structuredContent, null, 2))]),
    )
  }

  function callElement(call: PastCall): HTMLElement {
    const { tool, args } = call
    return h(
      'li',
      { class: isFailed(call.result) ? 'failed' : '' },
      h('code', {}, tool),
      h('span', { class: 'args' }, JSON.stringify(args).slice(0, 120)),
      button('Load', () => loadAgain(call), { 'aria-label': `Load the call of ${tool}` }),
      button('Replay', () => replay(call), { 'aria-label': `Replay the call of ${tool}` }),
      button('Copy code', () => void copyCode(app, call), { 'aria-label': `Copy code for the call of ${tool}` }),
    )
  }

  function loadAgain(call: PastCall): void {
    load(call)
    showResult(call)
  }

  return {
    element: h('div', { class: 'answers' }, result, past),
    add(call) {
      calls.unshift(call)
      calls.length = Math.min(calls.length, maxCalls)
      showResult(call)
      past.hidden = false
      list.replaceChildren(...calls.map(callElement))
    },
    setBusy(isBusy) {
      if (isBusy) result.setAttribute('aria-busy', 'true')
      else result.removeAttribute('aria-busy')
    },
  }
}

function isFailed(result: PastCall['result']): boolean {
  return 'failed' in result || result.isError === true
}

async function copyCode(app: App, { tool, args }: PastCall): Promise<void> {
  const code = `await client.callTool({ name: ${JSON.stringify(tool)}, arguments: ${JSON.stringify(args, null, 2)} })\n`
  await app.attempt('copy', async () => {
    await navigator.clipboard.writeText(code)
    app.notify('Copied code that makes this call with any MCP client')
  })
}

function contentElement({ type, text, data, mimeType }: CallResult['content'][number]): HTMLElement {
  if (type === 'image') return h('img', { alt: 'Image in the result', src: `data:${mimeType};base64,${data}` })
  return h('pre', {}, text ?? JSON.stringify({ type, mimeType }))
}
