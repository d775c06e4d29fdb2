/** Files that a page's site has for its rooms. */
import { ProgramError } from '../../bash/programs/program-error.js'

const commandMissing = 127

/** `advice`: what the page must be served with. */
export async function siteFile(address: URL, advice: string): Promise<ArrayBuffer> {
  const response = await fetch(address).catch((error) => ({ ok: false as const, statusText: String(error), status: 0 }))
  if (response.ok) return response.arrayBuffer()
  throw missingFile(address, `${response.status || response.statusText}`, advice)
}

export function missingFile({ href }: URL, why: string, advice: string): ProgramError {
  return new ProgramError(`${advice.replace('{}', `${href} (${why})`)}`, commandMissing)
}

/** A directory beside the page, unless it is named. */
export function placeAddress(address: string): string {
  return new URL(address.endsWith('/') ? address : `${address}/`, document.baseURI).href
}
