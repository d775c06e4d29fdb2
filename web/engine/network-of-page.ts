import { fetchHttp } from '../../src/git/fetch-http.js'
import { fetchNetwork } from '../../src/network/fetch-network.js'
import type { NetworkRule } from '../../src/network/rule.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'

/** The part of a workspace's options: a rule holds for git too. */
export function networkOfPage({
  rule,
  ...proxy
}: {
  corsProxy?: string
  rule?: NetworkRule
}): Pick<WorkspaceOptions, 'network' | 'git'> {
  return rule === undefined
    ? { git: { http: fetchHttp({ ...proxy, fromPage: true }) } }
    : { network: fetchNetwork(rule) }
}
