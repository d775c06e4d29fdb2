/** Builds a form for a tool's parameters from its schema. */
import type { JsonSchema } from '../page/connection.js'
import { h } from '../page/dom.js'

export interface SchemaForm {
  element: HTMLElement
  /** The arguments; empty fields are omitted. Fails with a message that names the field. */
  read(): Record<string, unknown>
  fill(values: Record<string, unknown>): void
}

interface Field {
  element: HTMLElement
  read(): unknown
  fill(value: unknown): void
}

export function schemaForm({ properties = {}, required = [] }: JsonSchema): SchemaForm {
  const fields = Object.entries(properties).map(([name, schema]) => {
    return { name, field: fieldFor(name, schema, required.includes(name)) }
  })
  return {
    element: h('div', { class: 'fields' }, ...fields.map(({ field }) => field.element)),
    read() {
      const values = fields.map(({ name, field }) => {
        try {
          return [name, field.read()]
        } catch (error) {
          throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        }
      })
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    },
    fill: (values) => {
      for (const { name, field } of fields) field.fill(values[name])
    },
  }
}

function fieldFor(name: string, schema: JsonSchema, isRequired: boolean): Field {
  const id = `field-${name}`
  const hint = [schema.description, schema.default !== undefined && `default ${JSON.stringify(schema.default)}`]
    .filter(Boolean)
    .join(' · ')
  const label = h(
    'label',
    { for: id },
    name,
    isRequired ? h('span', { class: 'required', title: 'required' }, ' *') : undefined,
  )
  const describedBy = hint === '' ? {} : { 'aria-describedby': `${id}-hint` }
  const common = { id, name, required: isRequired, ...describedBy }
  const { input, read, fill } = inputFor(schema, common)
  const note = hint === '' ? undefined : h('small', { id: `${id}-hint` }, hint)
  return { element: h('div', { class: 'field' }, label, input, note), read, fill }
}

/** Parameters that often have several lines. In the others Enter calls the tool, and Shift Enter starts a line. */
const longText = /content|text|patch|diff|command|script|old|new|replace|insert|message|code|body|data|string/i

function inputFor(
  schema: JsonSchema,
  common: Record<string, string | boolean>,
): { input: HTMLElement } & Omit<Field, 'element'> {
  const { type, enum: choices } = schema
  if (choices !== undefined || type === 'boolean') {
    const values = choices ?? [true, false]
    const options = values.map((value) => h('option', { value: JSON.stringify(value) }, String(value)))
    const input = h('select', common, h('option', { value: '' }, '—'), ...options)
    return {
      input,
      read: () => (input.value === '' ? undefined : JSON.parse(input.value)),
      fill: (value) => {
        input.value = value === undefined ? '' : JSON.stringify(value)
      },
    }
  }
  if (type === 'integer' || type === 'number') {
    const input = h('input', { ...common, type: 'number', step: type === 'integer' ? '1' : 'any' })
    return {
      input,
      read: () => (input.value === '' ? undefined : Number(input.value)),
      fill: (value) => {
        input.value = value === undefined ? '' : String(value)
      },
    }
  }
  if (type === 'string') {
    const input = h('textarea', { ...common, rows: 1, spellcheck: 'false' })
    const { required, name } = common
    const isLong = longText.test(String(name))
    input.addEventListener('keydown', (event) => {
      const isSending = event.ctrlKey || event.metaKey || !(isLong || event.shiftKey || input.value.includes('\n'))
      if (event.key !== 'Enter' || event.isComposing || !isSending) return
      event.preventDefault()
      input.form?.requestSubmit()
    })
    return {
      input,
      // Sends an empty string only for a required field.
      read: () => (input.value === '' && !required ? undefined : input.value),
      fill: (value) => {
        input.value = value === undefined ? '' : String(value)
        input.rows = Math.min(12, input.value.split('\n').length)
      },
    }
  }
  const isTextList = type === 'array' && schema.items?.type === 'string'
  const input = h('textarea', {
    ...common,
    rows: 2,
    spellcheck: 'false',
    placeholder: isTextList ? 'one per line' : 'JSON',
  })
  return {
    input,
    read() {
      if (input.value.trim() === '') return undefined
      return isTextList ? input.value.split('\n').filter((line) => line !== '') : JSON.parse(input.value)
    },
    fill: (value) => {
      if (value === undefined) input.value = ''
      else input.value = isTextList && Array.isArray(value) ? value.join('\n') : JSON.stringify(value, null, 2)
    },
  }
}
