import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Bundles `child.ts` into a directory, with all it needs; returns the script. */
export async function bundleChild(directory: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('./child.ts', import.meta.url)),
      outDir: directory,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'child.mjs', chunkFileNames: '[name].mjs' } },
    },
  })
  return path.join(directory, 'child.mjs')
}

export interface Child {
  process: ChildProcess
  /** What it has said so far. */
  said(): string
  /** Resolves when it has said something that matches. */
  says(pattern: RegExp): Promise<void>
  /** How it ended, and what it said on the way. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; said: string; complained: string }>
}

export function startChild(script: string, ...args: (string | number)[]): Child {
  return startProgram([process.execPath, script], ...args)
}

/** The same with another program, or the same one below another. */
export function startProgram([program = '', ...before]: readonly string[], ...args: (string | number)[]): Child {
  const child = spawn(program, [...before, ...args.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complained] = ['', '']
  child.stderr.on('data', (data) => {
    complained += data
  })
  child.stdout.on('data', (data) => {
    said += data
  })
  const ended: Child['ended'] = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, said, complained }))
  })
  return {
    process: child,
    said: () => said,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(said) && resolve()
        child.stdout.on('data', look)
        child.on('close', () => reject(new Error(`it ended without saying so: ${complained}`)))
        look()
      }),
    ended,
  }
}
