/** The question whether a call may be made. */
import type { ApprovalRules, CallToApprove, Decision } from '../../agent/approvals.js'
import { button, h } from '../page/dom.js'

const kinds = { read: 'reading', add: 'additions', change: 'changes' } as const

export interface ApprovalQuestion {
  readonly element: HTMLElement
  readonly answer: Promise<Decision>
}

/** "Always" is written into the rules: for the tool, or for all tools of its kind. */
export function approvalQuestion({ tool, kind }: CallToApprove, rules: ApprovalRules): ApprovalQuestion {
  let settle = (_decision: Decision) => {}
  const answer = new Promise<Decision>((resolve) => {
    settle = resolve
  })
  const word = h('input', {
    type: 'text',
    'aria-label': 'Why not, or what instead',
    placeholder: 'Why not, or what instead? (optional)',
  })
  const deny = () => settle({ allow: false, ...(word.value.trim() !== '' && { word: word.value.trim() }) })
  word.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    deny()
  })
  const allow = (always?: () => void) => {
    always?.()
    settle({ allow: true })
  }
  const element = h(
    'div',
    { class: 'approval', role: 'group', 'aria-label': `May the agent call ${tool}?` },
    h(
      'div',
      { class: 'approval-yes' },
      button('Allow', () => allow(), { class: 'primary' }),
      button(`Always allow ${tool}`, () => allow(() => (rules.tools[tool] = 'allow'))),
      button(`Allow all ${kinds[kind]}`, () => allow(() => (rules.kinds[kind] = 'allow'))),
    ),
    h('div', { class: 'approval-no' }, word, button('Deny', deny)),
  )
  return { element, answer }
}
