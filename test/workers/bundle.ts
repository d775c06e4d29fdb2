/** Bundles a Worker as Cloudflare's own tool does, into one module. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { nodeShims } from '../../build/vite-plugin.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

let bundled: Promise<string> | undefined

/** The same code for every suite of this process. */
export function testWorker(): Promise<string> {
  bundled ??= bundleWorker('test/workers/worker.ts')
  return bundled
}

/** `polyfs/...` is the built package, by the condition `browser`, which Cloudflare's tool sets too. */
export async function bundleWorker(entry: string, { minify = false } = {}): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    // What is imported from the sources needs the stand-ins that the built package has in it.
    plugins: [nodeShims()],
    resolve: { alias: await ownEntries() },
    build: {
      write: false,
      target: 'es2022',
      minify,
      lib: { entry: join(root, entry), formats: ['es'] },
      rolldownOptions: { external: ['cloudflare:workers'], output: { codeSplitting: false } },
    },
  })
  const { output } = [result].flat()[0] as Rolldown.RolldownOutput
  if (output.length !== 1) throw new Error(`one module was expected, and there are ${output.length}`)
  return output[0].code
}

async function ownEntries(): Promise<{ find: RegExp; replacement: string }[]> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { browser?: string }>
  }
  return Object.entries(exports).flatMap(([path, { browser }]) =>
    browser === undefined ? [] : [{ find: new RegExp(`^polyfs${path.slice(1)}$`), replacement: join(root, browser) }],
  )
}
