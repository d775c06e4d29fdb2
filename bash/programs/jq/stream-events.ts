/** The events of `--stream`: paths with leaves, and paths that end an array or object. */
import type { Json } from './values.js'

export function streamEvents(value: Json): Json[] {
  const events: Json[] = []
  visit(value, [], events)
  return events
}

function visit(value: Json, path: Json[], events: Json[]): void {
  const items = Array.isArray(value) || value instanceof Map ? [...value.entries()] : []
  if (items.length === 0) {
    events.push([path, value])
    return
  }
  for (const [key, item] of items) visit(item, [...path, key], events)
  const last = items.at(-1) as [string | number, Json]
  events.push([[...path, last[0]]])
}
