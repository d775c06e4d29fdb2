import { UsageError } from './usage-error.js'

/** `8080`, `localhost:8080`, `[::1]:8080`. */
export function parseAddress(address: string): { host?: string; port: number } {
  const match = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(address)
  const port = Number(match?.[2])
  if (match === null || port > 65535) throw new UsageError(`--http takes [HOST:]PORT, not '${address}'`)
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return host === undefined ? { port } : { host, port }
}
