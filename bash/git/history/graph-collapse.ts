import type { GraphColumns } from './graph-columns.js'

/** Moves lines one step to their columns, and draws that. `moved`: where they were before those that run horizontally were cut. */
export function collapse(
  columns: GraphColumns,
  draw: (column: number, character: string) => string,
): { line: string; moved: readonly number[] } {
  const before = columns.mapping
  const mapping = new Array<number>(before.length).fill(-1)
  columns.mapping = mapping
  let [edge, edgeTarget] = [-1, -1]
  const runTo = (target: number, i: number) => {
    for (let j = target * 2 + 3; j < i - 2; j += 2) mapping[j] = target
  }
  for (let i = 0; i < columns.mappingSize; i += 1) {
    const target = before[i] ?? -1
    if (target < 0) continue
    if (target * 2 === i) mapping[i] = target
    else if ((mapping[i - 1] ?? -1) < 0) {
      mapping[i - 1] = target
      if (edge === -1) {
        edge = i
        edgeTarget = target
        runTo(target, i)
      }
    } else if (mapping[i - 1] !== target) {
      mapping[i - 2] = target
      if (edge === -1) {
        edgeTarget = target
        edge = i - 1
        runTo(target, i)
      }
    }
  }
  const moved = [...mapping]
  if ((mapping[columns.mappingSize - 1] ?? -1) < 0) columns.mappingSize -= 1
  let line = ''
  let isHorizontal = false
  for (let i = 0; i < columns.mappingSize; i += 1) {
    const target = mapping[i] ?? -1
    if (target < 0) line += ' '
    else if (target * 2 === i) line += draw(target, '|')
    else if (target === edgeTarget && i !== edge - 1) {
      if (i !== target * 2 + 3) mapping[i] = -1
      isHorizontal = true
      line += draw(target, '_')
    } else {
      if (isHorizontal && i < edge) mapping[i] = -1
      line += draw(target, '/')
    }
  }
  return { line, moved }
}
