import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, type Stats, statSync, writeFileSync } from 'node:fs'

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

/** Rejects a token that other users know: they can read the file, or it is theirs. */
function checkPrivate(file: string, { mode, uid }: Stats): void {
  if (process.platform === 'win32') return
  if ((mode & 0o077) !== 0) {
    throw new Error(
      `other users can read the token in ${file}; run chmod 600 ${file}, and create a new token if they may have read it`,
    )
  }
  if (uid !== 0 && uid !== process.geteuid?.()) {
    throw new Error(`${file} belongs to another user, who knows the token in it; name a file of your own`)
  }
}

function readOrCreate(file: string): string {
  try {
    // Checked before it is opened, too: a FIFO of another user would be waited for.
    checkPrivate(file, statSync(file))
    return read(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const token = randomBytes(32).toString('base64url')
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  }
}

function read(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    checkPrivate(file, fstatSync(descriptor))
    return readFileSync(descriptor, 'utf8').trim()
  } finally {
    closeSync(descriptor)
  }
}
