/// <reference types="vite/types/importMeta.d.ts" />
import type { Vector } from './stage.js'
import type { VectorFile } from './types.js'

/** Every case of every file beside this one, in Node and in a page. */
export const vectors: readonly Vector[] = Object.entries(
  import.meta.glob<VectorFile>('./*/*.json', { eager: true, import: 'default' }),
).flatMap(([file, { dialect, cases }]) => {
  const tool = file.slice(file.lastIndexOf('/') + 1, -'.json'.length)
  return cases.map((vector) => ({ ...vector, dialect, id: `${dialect}/${tool}: ${vector.name}` }))
})
