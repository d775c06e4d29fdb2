/** `node -e` of the stand-in: runs the given code with the parts of Node it needs here. */

import type { Program } from '../../../../bash/io/program.js'
import { resolve } from '../../../../src/fs/path.js'
import type { FileSystem } from '../../../../src/fs/types.js'

export function hostNode(tree: FileSystem): Program {
  return {
    name: 'node',
    async run(io) {
      const { cwd } = io
      const [option, code = '', ...args] = io.args
      if (option !== '-e') {
        await io.error('the stand-in has -e only')
        return 9
      }
      const writes: Array<Promise<void>> = []
      const fs = {
        writeFileSync: (path: string, text: string) =>
          void writes.push(tree.writeFile(resolve(cwd, path), new TextEncoder().encode(text))),
      }
      const process = {
        argv: ['node', ...args],
        env: Object.fromEntries(io.env),
        cwd: () => cwd,
        exit(exitCode: number) {
          throw { exitCode }
        },
      }
      const require = (name: string) => (name === 'fs' ? fs : undefined)
      try {
        new Function('process', 'require', code)(process, require)
        await Promise.all(writes)
        return 0
      } catch (error) {
        const { exitCode } = error as { exitCode?: number }
        if (exitCode === undefined) await io.stderr.write(`${error}\n`)
        return exitCode ?? 1
      }
    },
  }
}
