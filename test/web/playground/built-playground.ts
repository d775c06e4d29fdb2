import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileLock } from '../../../node/locks/file-lock.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/polyfs-playground')
const maxAgeMs = 24 * 3_600_000

/**
 * The directory of the production build, built once for each state of the sources, by `npm run build` or by the first
 * suite that needs it.
 */
export async function builtPlayground(): Promise<string> {
  const sources = await sourcesOfPage()
  if (await isNewer(join(root, 'dist/playground/index.html'), sources)) return join(root, 'dist/playground')
  const directory = join(cache, await stateOf(sources))
  await mkdir(cache, { recursive: true })
  await fileLock(`${directory}.lock`).hold([], async () => {
    if (existsSync(directory)) return
    await removeOld()
    await buildInto(`${directory}.part`)
    await rename(`${directory}.part`, directory)
  })
  return directory
}

async function sourcesOfPage(): Promise<string[]> {
  const folders = ['playground', 'build', 'src', 'web']
  const inFolders = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    }),
  )
  return [...inFolders.flat(), join(root, 'package.json'), join(root, 'package-lock.json')].sort()
}

async function isNewer(built: string, sources: readonly string[]): Promise<boolean> {
  if (!existsSync(built)) return false
  const { mtimeMs } = await stat(built)
  // Removing a source changes its directory's time.
  const places = new Set(sources.flatMap((file) => [file, dirname(file)]))
  places.delete(dirname(join(root, 'package.json')))
  const changed = await Promise.all([...places].map(async (place) => (await stat(place)).mtimeMs))
  return changed.every((each) => each < mtimeMs)
}

async function stateOf(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of sources) hash.update(`${file.slice(root.length)}\0`).update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}

async function buildInto(outDir: string): Promise<void> {
  // Loaded on demand, because most suites find the page already built.
  const [{ build }, { default: playground }] = await Promise.all([
    import('vite'),
    import('../../../playground/vite.config.mjs'),
  ])
  // A production build; the test environment would give another one.
  const environment = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await build({
      ...playground,
      configFile: false,
      logLevel: 'error',
      build: { ...playground.build, outDir, emptyOutDir: true, reportCompressedSize: false },
    })
  } finally {
    process.env.NODE_ENV = environment
  }
}

async function removeOld(): Promise<void> {
  const builds = (await readdir(cache)).filter((name) => /^[0-9a-f]+$/.test(name))
  for (const name of builds) {
    const { mtimeMs } = await stat(join(cache, name))
    if (Date.now() - mtimeMs > maxAgeMs) await rm(join(cache, name), { recursive: true, force: true })
  }
}
