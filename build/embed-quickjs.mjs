/** Embeds the engine's WebAssembly in a module, compressed, so that nothing has to find a file beside the bundle. */
import { gzipSync } from 'node:zlib'

export function quickjsModule(wasm) {
  const code = gzipSync(wasm, { level: 9 }).toString('base64')
  return `/** quickjs.wasm of the package quickjs-wasi, compressed by gzip. Made by the build. */\nexport const compressed =\n  '${code}'\n`
}

/** The package has the licence of its own code only; this is the notice of the engine in its binary. */
export const quickjsNotice = `quickjs.wasm contains QuickJS-NG, under the same licence:

Copyright (c) 2017-2024 Fabrice Bellard
Copyright (c) 2017-2024 Charlie Gordon
Copyright (c) 2023-2025 Ben Noordhuis
Copyright (c) 2023-2025 Saúl Ibarra Corretgé
`
