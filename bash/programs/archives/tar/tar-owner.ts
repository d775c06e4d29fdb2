/** Whom entries of an archive belong to: `--owner` and `--group`. */
import { nameOf, systemUser } from '../../../io/accounts.js'
import { ProgramError } from '../../program-error.js'

export interface Owner {
  name: string
  id: number
}

/** What a header has room for, as a binary number. */
const greatestId = 0xffffffff

/**
 * `NAME`, `NAME:ID`, `:ID` or `ID`. A name that the system does not have is stored with the id of the file's own owner, and an id that it
 * does not have without a name.
 */
export function ownerOf(text: string | undefined, known: ReadonlyMap<string, number>): Owner {
  if (text === undefined) return systemUser
  const [, name, id] = /^([^:]*)(?::(.*))?$/s.exec(/^\d/.test(text) && !text.includes(':') ? `:${text}` : text) ?? []
  if (id === undefined) return { name: text, id: known.get(text) ?? systemUser.id }
  if (!/^\d+$/.test(id) || Number(id) > greatestId) {
    if (name === '' && /^\d+\D/.test(text)) return { name: text, id: systemUser.id }
    throw new ProgramError(`${id}: Invalid owner or group ID\ntar: Error is not recoverable: exiting now`, 2)
  }
  return { name: name || (nameOf(known, Number(id)) ?? ''), id: Number(id) }
}
