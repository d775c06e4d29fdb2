/** Tries escapes on OPFS in a worker: one request, one answer. */
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { escapeCases } from '../../escapes/cases.js'
import { plant, plantedTrees, tryEscape } from '../../escapes/stage.js'

const shell = emulatedShell()
const nextTree = plantedTrees(async () => {
  const fs = await opfs(crypto.randomUUID())
  await plant(fs)
  return fs
})

self.onmessage = async ({ data: name }: MessageEvent<string>) => {
  const tried = escapeCases.find((one) => one.name === name)
  if (tried === undefined) throw new Error(`there is no case ${name}`)
  const { faults } = await tryEscape(await nextTree(), tried, { shell })
  self.postMessage(faults)
}
