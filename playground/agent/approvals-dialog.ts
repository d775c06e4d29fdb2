/** Which calls need a yes. */
import type { ApprovalRules, CallKind, Rule } from '../../agent/approvals.js'
import { showDialog } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'

const kinds: Record<CallKind, string> = {
  read: 'Reading and searching',
  add: 'Adding: new folders, copies',
  change: 'Changing, deleting, running commands',
}
const rulesInWords: Record<Rule, string> = { allow: 'Allow', ask: 'Ask', deny: 'Never' }

/** Changes the rules at once; they apply to the next call. */
export function showApprovals({ kinds: rules, tools }: ApprovalRules): void {
  const choice = (label: string, now: Rule, set: (rule: Rule) => void) => {
    const select = h(
      'select',
      {},
      ...Object.entries(rulesInWords).map(([rule, words]) => h('option', { value: rule }, words)),
    )
    select.value = now
    select.addEventListener('change', () => set(select.value as Rule))
    return h('label', { class: 'rule' }, label, select)
  }
  const dialog = showDialog(
    'What the agent may do',
    h('p', { class: 'hint' }, 'Whatever it does is recorded and can be undone.'),
    ...(['read', 'add', 'change'] as const).map((kind) =>
      choice(kinds[kind], rules[kind], (rule) => (rules[kind] = rule)),
    ),
    ...Object.entries(tools).map(([tool, rule]) => choice(`The tool ${tool}`, rule, (next) => (tools[tool] = next))),
    h(
      'div',
      { class: 'actions' },
      button('Close', () => dialog.close(), { class: 'primary' }),
    ),
  )
}
