/** Who may use the page: an address that works once is exchanged for a key, which the page holds. */
import { createHash, randomBytes } from 'node:crypto'

export interface Access {
  /** A new token for an address. */
  newToken(): string
  /** The key for a token that was not used yet; undefined for any other. */
  enter(token: string): string | undefined
  isKey(key: string): boolean
  /** Lets another server of this user in, which knows the secret from a file that only this user can read. */
  readonly memberSecret: string
  isMemberSecret(secret: string): boolean
}

/** Unused addresses and open pages; beyond it the oldest end. */
const maxTokens = 16
const maxKeys = 64

export function createAccess(): Access {
  const tokens = secrets(maxTokens)
  const keys = secrets(maxKeys)
  const members = secrets(1)
  const memberSecret = members.add()
  return {
    newToken: tokens.add,
    enter: (token) => (tokens.take(token) ? keys.add() : undefined),
    isKey: keys.has,
    memberSecret,
    isMemberSecret: members.has,
  }
}

/** Stores digests only. Looking one up reveals by its time nothing about the secret, only about its digest. */
function secrets(most: number) {
  const digests = new Set<string>()
  return {
    add(): string {
      const secret = randomBytes(32).toString('base64url')
      digests.add(digest(secret))
      const [oldest] = digests
      if (digests.size > most && oldest !== undefined) digests.delete(oldest)
      return secret
    },
    has: (secret: string) => digests.has(digest(secret)),
    take: (secret: string) => digests.delete(digest(secret)),
  }
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64')
}
