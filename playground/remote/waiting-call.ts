/** A call that waits for the user. */
import type { CallDecision, CallSeen } from '../../src/engine/ui-protocol.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'
import { argumentsText, pathButtons } from './call-row.js'

export function waitingCall(
  app: App,
  call: CallSeen,
  client: string,
  decide: (decision: CallDecision) => void,
): HTMLElement {
  const { tool, kind } = call
  const word = h('input', {
    type: 'text',
    'aria-label': 'Why not, or what instead',
    placeholder: 'Why not, or what instead? (optional)',
  })
  const deny = () => decide({ allow: false, ...(word.value.trim() !== '' && { word: word.value.trim() }) })
  word.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    deny()
  })
  const what = kind === 'command' ? 'wants to run a command' : 'wants to change files'
  return h(
    'div',
    { class: 'waiting-call', role: 'group', 'aria-label': `${client} ${what}` },
    h('p', {}, h('strong', {}, client), ` ${what} with `, h('code', {}, tool), ':'),
    ...pathButtons(app, call),
    h('pre', { tabindex: 0, 'aria-label': 'Arguments' }, argumentsText(call)),
    h(
      'div',
      { class: 'actions' },
      button('Allow', () => decide({ allow: true }), { class: 'primary' }),
      word,
      button('Deny', deny),
    ),
  )
}
