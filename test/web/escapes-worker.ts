/** Tries escapes on OPFS from within a worker; one question, one answer. */
import { emulatedShell } from '../../web/emulated-shell.js'
import { opfs } from '../../web/opfs.js'
import { escapeCases } from '../escapes/cases.js'
import { plant, tryEscape } from '../escapes/stage.js'

const shell = emulatedShell()

self.onmessage = async ({ data: name }: MessageEvent<string>) => {
  const tried = escapeCases.find((one) => one.name === name)
  if (tried === undefined) throw new Error(`there is no case ${name}`)
  const fs = await opfs(crypto.randomUUID())
  await plant(fs)
  const { faults } = await tryEscape(fs, tried, { shell })
  self.postMessage(faults)
}
