/** The key that authenticates the journal records of a root. */
import { createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ForeignFile, readOwnFile } from './own-file.js'
import { StateDirectoryError } from './state-directory.js'

const keyBytes = 32

/** Returns a function that authenticates a text (HMAC). The key is in the state directory, and is made if it is missing. */
export function journalSeal(directory: string): (text: string) => string {
  const file = path.join(directory, 'key')
  const key = readKey(file) ?? makeKey(directory, file)
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readOwnFile(file, { maxBytes: keyBytes })
    if (key !== undefined && key.length !== keyBytes) throw foreign(file)
    return key
  } catch (error) {
    throw error instanceof ForeignFile ? foreign(file) : error
  }
}

function foreign(file: string): StateDirectoryError {
  return new StateDirectoryError(
    `${file} is not a key of this user's alone; remove ${path.dirname(file)} to start anew`,
  )
}

/** If several servers make a key concurrently, all use the first that was linked. */
function makeKey(directory: string, file: string): Buffer {
  const unfinished = path.join(directory, `key-${randomBytes(8).toString('hex')}`)
  fs.writeFileSync(unfinished, randomBytes(keyBytes), { mode: 0o600, flag: 'wx', flush: true })
  try {
    fs.linkSync(unfinished, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    fs.rmSync(unfinished)
  }
  const made = readKey(file)
  if (made === undefined) throw foreign(file)
  return made
}
