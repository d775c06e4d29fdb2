/** Translates between host paths and paths of the core, which knows no drives or backslashes. */

import { type PathRules, posixRules, windowsRules, windowsRulesFor } from '../../src/fs/path-rules.js'

/** How this host splits and writes paths; `directories`, which are paths of the core, may be on network shares. */
export function hostRules(directories: readonly string[], platform: NodeJS.Platform = process.platform): PathRules {
  return platform === 'win32' ? windowsRulesFor(directories) : posixRules
}

/** A path of the core as a host path. */
export function toHost(virtual: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? (windowsRules.print?.(virtual) ?? virtual) : virtual
}

/** `C:\work` becomes `/C:/work`, and `\\server\share` `/UNC/server/share`; a POSIX path stays as it is. `hostPath` must be absolute. */
export function toVirtual(hostPath: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return hostPath
  // Long paths may have a prefix.
  const plain = hostPath.replace(/^\\\\\?\\(?:UNC(?=\\))?/i, (prefix) => (prefix.length > 4 ? '\\' : ''))
  const path = plain.replaceAll('\\', '/').replace(/\/+$/, '')
  if (path.startsWith('//')) return `/UNC${path.slice(1)}`
  return path.startsWith('/') ? path : `/${path.slice(0, 1).toUpperCase()}${path.slice(1)}`
}
