/** What an answer holds, out of the encoding in which it was sent. */
import type { Bytes } from '../../../src/fs/types.js'
import { joinBytes } from '../../../src/text/join-bytes.js'
import type { ProgramIo } from '../../io/program.js'
import { gunzipMembers } from '../archives/gunzip-members.js'
import { unzlib } from './unzlib.js'

/** Undefined where it is damaged, or in an encoding that is not known here. Memory is counted before it is taken. */
export function decodedBody(
  io: Pick<ProgramIo, 'account' | 'step'>,
  body: Bytes,
  encoding: string | undefined,
): Bytes | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  let bytes: Bytes | undefined = body
  for (const name of names.reverse()) {
    if (bytes === undefined) return undefined
    if (name === '' || name === 'identity') continue
    if (name === 'gzip' || name === 'x-gzip') bytes = gunzipped(io, bytes)
    else if (name === 'deflate') bytes = unzlib(io, bytes)
    else return undefined
  }
  return bytes
}

/** All members of gzip data. */
export function gunzipped(io: Pick<ProgramIo, 'account' | 'step'>, bytes: Bytes): Bytes | undefined {
  const pieces: Bytes[] = []
  const members = gunzipMembers(bytes, io)
  let next = members.next()
  for (; !next.done; next = members.next()) {
    io.account(next.value.length)
    pieces.push(next.value)
  }
  return next.value ? joinBytes(pieces) : undefined
}
