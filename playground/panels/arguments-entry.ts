/** The arguments of a tool, as a form or as JSON. */
import type { App } from '../page/app.js'
import type { ListedTool } from '../page/connection.js'
import { describe } from '../page/describe-error.js'
import { h } from '../page/dom.js'
import { type SchemaForm, schemaForm } from './schema-form.js'

export interface ArgumentsEntry {
  readonly elements: readonly HTMLElement[]
  /** Begins anew, for a tool with these arguments. */
  show(tool: ListedTool | undefined, args: Record<string, unknown>): void
  /** Throws when what was entered is not JSON. */
  read(): Record<string, unknown>
}

export function argumentsEntry(app: App): ArgumentsEntry {
  let form: SchemaForm | undefined
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

  return {
    elements: [h('label', { class: 'inline' }, asJson, 'Edit as JSON'), fields, raw],
    show(tool, args) {
      form = tool && schemaForm(tool.inputSchema)
      form?.fill(args)
      raw.value = JSON.stringify(args, null, 2)
      fields.replaceChildren(...(form ? [form.element] : []))
    },
    read: () => (asJson.checked ? JSON.parse(raw.value || '{}') : (form?.read() ?? {})),
  }
}
