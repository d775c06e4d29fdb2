import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'

const leastLength = 16

/** The bearer token that clients have to send: from a file, made when it is not there, or from the environment. */
export function tokenFrom(file: string | undefined, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const token = file === undefined ? env.POLYFS_TOKEN : inFile(file)
  if (token === undefined) return undefined
  const place = file ?? 'POLYFS_TOKEN'
  if (!/^[!-~]+$/.test(token)) throw new Error(`the token in ${place} has to be one word of printable ASCII`)
  if (token.length < leastLength) throw new Error(`the token in ${place} is shorter than ${leastLength} characters`)
  return token
}

/** A token that others may read keeps nobody out. */
function checkOwn(file: string): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return
  throw new Error(
    `other users may read the token in ${file}; run chmod 600 ${file}, and make a new token if they may have`,
  )
}

function inFile(file: string): string {
  try {
    checkOwn(file)
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const token = randomBytes(32).toString('base64url')
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  }
}
