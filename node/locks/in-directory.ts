/** Names in a directory of the disk. */
import fs from 'node:fs'
import { O_PATH } from '../disk/open-flags.js'

/** Runs `act` synchronously with a host path of the directory, which may be valid only until `act` returns. */
export type InDirectory = <Result>(act: (directory: string) => Result) => Result

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants

/** Uses a short path, because that of a socket is limited to about a hundred bytes. Only on Linux. */
export function withDescriptor(directory: string, { followsLink }: { followsLink: boolean }): InDirectory {
  return (act) => {
    const descriptor = fs.openSync(directory, O_PATH | O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW))
    try {
      return act(`/proc/self/fd/${descriptor}`)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}
