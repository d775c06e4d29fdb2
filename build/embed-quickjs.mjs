/** Embeds the engine's WebAssembly in a module, compressed, so that nothing has to find a file beside the bundle. */
import { gzipSync } from 'node:zlib'

export function quickjsModule(wasm) {
  const code = gzipSync(wasm, { level: 9 }).toString('base64')
  return `/** quickjs.wasm of the package quickjs-wasi, compressed by gzip. Made by the build. */\nexport const compressed =\n  '${code}'\n`
}
