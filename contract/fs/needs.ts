/** What a case needs of a target, derived from its content, so that no case has to repeat it. */
import type { Capabilities } from '../../src/fs/types.js'
import type { Call, ContractCase, ContractTarget, MethodName, Step, TreeNode } from './types.js'

/** Why a case does not apply to a target; `undefined` when it does. */
export function unmetNeed(target: ContractTarget, contractCase: ContractCase): string | undefined {
  const { links = 'refused' } = target
  if (contractCase.links !== undefined && contractCase.links !== links) {
    return `needs links ${contractCase.links}, and here they are ${links}`
  }
  const { capabilities } = target.fs
  for (const [flag, value] of Object.entries(needsOf(contractCase))) {
    const actual = capabilities[flag as keyof Capabilities]
    if (actual !== value) return `needs ${flag}: ${value}, and here it is ${actual}`
  }
  if (methodsOf(contractCase).has('open') && target.fs.open === undefined) return 'needs open, which is absent here'
  return undefined
}

function needsOf(contractCase: ContractCase): Partial<Capabilities> {
  const methods = methodsOf(contractCase)
  const nodes = Object.values({ ...contractCase.tree, ...contractCase.after })
  const needs: Partial<Capabilities> = {}
  if (mutations.some((method) => methods.has(method))) needs.writable = true
  if (methods.has('symlink') || methods.has('readLink') || nodes.some(isLink)) needs.symlinks = true
  if (methods.has('setMode') || nodes.some(hasMode)) needs.modeBits = true
  if (methods.has('setModified')) needs.modified = 'write'
  if (methods.has('watch')) needs.watch = true
  return { ...needs, ...contractCase.needs }
}

const mutations: MethodName[] = ['writeFile', 'makeDir', 'remove', 'rename', 'symlink', 'setMode', 'setModified']

function methodsOf(contractCase: ContractCase): Set<MethodName> {
  const methods = new Set(contractCase.steps.flatMap(callsOf).map((call) => call.do[0]))
  if (contractCase.steps.some((step) => 'watch' in step)) methods.add('watch')
  return methods
}

function callsOf(step: Step): Call[] {
  if ('do' in step) return [step]
  if ('together' in step) return step.together
  if ('watch' in step) return step.during
  return []
}

function isLink(node: TreeNode): boolean {
  return typeof node === 'object' && 'link' in node
}

function hasMode(node: TreeNode): boolean {
  return typeof node === 'object' && 'mode' in node
}
