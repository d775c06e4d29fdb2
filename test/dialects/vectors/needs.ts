/** The needs of a case, derived from its content, so that no case has to list them. */
import type { Stage, Vector } from './stage.js'
import type { After, Call, TreeNode } from './types.js'

/** Why a case does not apply to a stage; `undefined` when it does. */
export function unmetNeed(vector: Vector, { raw, speaks }: Stage): string | undefined {
  const nodes = Object.values({ ...vector.tree, ...vector.outside, ...vector.after })
  if (raw.symlink === undefined && nodes.some((node) => has(node, 'link'))) return 'no symbolic links on this backend'
  if (raw.setMode === undefined && nodes.some((node) => has(node, 'mode'))) return 'no modes on this backend'
  if (raw.setModified === undefined && namesPlantedTime(vector)) return 'times can’t be set on this backend'
  const calls = vector.calls.flat()
  if (speaks !== 'lines' && calls.some((call) => 'raw' in call)) return 'messages can’t be malformed on this backend'
  if (speaks === 'calls' && calls.some(isOtherMethod)) return 'no protocol on this backend'
  return undefined
}

function has(node: TreeNode | After, key: 'link' | 'mode'): boolean {
  return typeof node === 'object' && node !== null && key in node
}

/** In other cases only the order of times matters, which any backend can provide. */
function namesPlantedTime({ tree = {}, calls }: Vector): boolean {
  const expected = JSON.stringify(calls.flat().map(({ expect }) => expect))
  return Object.values(tree).some((node) => {
    if (typeof node === 'string' || node.mtime === undefined) return false
    const iso = new Date(node.mtime * 1000).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
    return expected.includes(iso) || expected.includes(String(node.mtime))
  })
}

function isOtherMethod(call: Call): boolean {
  return 'method' in call && call.method !== 'tools/list'
}
