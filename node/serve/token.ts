import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'

const minLength = 16

/** The bearer token that clients must send: from a file, which is created if missing, or from the environment. */
export function tokenFrom(file: string | undefined, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const token = file === undefined ? env.POLYFS_TOKEN : readOrCreate(file)
  if (token === undefined) return undefined
  const source = file ?? 'POLYFS_TOKEN'
  if (!/^[!-~]+$/.test(token)) throw new Error(`the token in ${source} must be one word of printable ASCII`)
  if (token.length < minLength) throw new Error(`the token in ${source} is shorter than ${minLength} characters`)
  return token
}

/** Rejects a token file that other users can read. */
function checkPrivate(file: string): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return
  throw new Error(
    `other users can read the token in ${file}; run chmod 600 ${file}, and create a new token if they may have read it`,
  )
}

function readOrCreate(file: string): string {
  try {
    checkPrivate(file)
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const token = randomBytes(32).toString('base64url')
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  }
}
