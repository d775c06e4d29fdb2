/** `node -e` of the stand-in: runs the given code with the parts of Node it needs here. */
import type { Command } from 'just-bash/browser'
import { resolve } from '../../../../src/fs/path.js'
import type { FileSystem } from '../../../../src/fs/types.js'

export function hostNode(tree: FileSystem): Command {
  return {
    name: 'node',
    async execute([option, code = '', ...args], { cwd, exportedEnv = {} }) {
      if (option !== '-e') return { stdout: '', stderr: 'node: the stand-in has -e only\n', exitCode: 9 }
      const writes: Array<Promise<void>> = []
      const fs = {
        writeFileSync: (path: string, text: string) =>
          void writes.push(tree.writeFile(resolve(cwd, path), new TextEncoder().encode(text))),
      }
      const process = {
        argv: ['node', ...args],
        env: exportedEnv,
        cwd: () => cwd,
        exit(exitCode: number) {
          throw { exitCode }
        },
      }
      const require = (name: string) => (name === 'fs' ? fs : undefined)
      try {
        new Function('process', 'require', code)(process, require)
        await Promise.all(writes)
        return { stdout: '', stderr: '', exitCode: 0 }
      } catch (error) {
        const { exitCode } = error as { exitCode?: number }
        return { stdout: '', stderr: exitCode === undefined ? `${error}\n` : '', exitCode: exitCode ?? 1 }
      }
    },
  }
}
