/** Compares bearer tokens in a time that says nothing about where they differ. */
export async function hasToken(request: Request, token: string): Promise<boolean> {
  const [, given] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (given === undefined) return false
  return areEqual(await digest(given), await digest(token))
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Digests have equal length. */
function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}
