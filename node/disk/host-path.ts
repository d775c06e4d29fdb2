/** Translates between host paths and paths of the core, which knows no drives or backslashes. */

/** A path of the core as a host path. */
export function toHost(virtual: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? virtual.slice(1).replaceAll('/', '\\') : virtual
}

/** `C:\work` becomes `/C:/work`; a POSIX path stays as it is. `hostPath` must be absolute. */
export function toVirtual(hostPath: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return hostPath
  const path = hostPath.replaceAll('\\', '/').replace(/\/+$/, '')
  return path.startsWith('/') ? path : `/${path.slice(0, 1).toUpperCase()}${path.slice(1)}`
}
